// firefox.mjs - starts Firefox as Debian ships it, for driver.mjs. playwright-core speaks WebDriver BiDi with it, so the cases have one interface for
// both browsers. This Firefox does not know BiDi's command for media features; a script in the browser's own window sets them instead. It tells of no
// request for a file on disk; of one that the page's policy refuses it complains on the console.
import {createRequire} from 'node:module';
import path from 'node:path';

const WORDS = 'it is about sentences, which are the same in each browser';
const FIGURES = 'it compares figures, which are computed alike in each browser; other cases show such figures';

/** Cases that are not run with all the others in Firefox, which takes half a second of processor time for each page, and why. */
export const LEFT_OUT = {
  blocks_state_figures_and_table_are_those_of_the_events: FIGURES,
  pictures_tree_has_the_figures_of_the_call_tree: FIGURES,
  tables_rows_by_file_kind_label_and_so_on_are_those_of_the_report: FIGURES,
  views_every_link_of_the_overview_leads_somewhere: 'it is about links, which are the same in each browser',
  views_a_run_in_which_nothing_happened_is_no_error: WORDS,
  views_redacted_pages_have_no_source_text: 'it is about what is in the file',
  views_pages_without_events_say_what_to_do: WORDS,
  views_sums_over_several_devices_are_called_so: WORDS,
  views_what_was_left_out_on_request_is_said_everywhere: WORDS,
};

const OF_MEDIA = 'emulation.setMediaFeaturesOverride';

/** Sets the fields of a tab that Firefox's developer tools set for the same purpose: they outlast a navigation. */
const MEDIA = `((id, colorScheme, media) => {
  const {NavigableManager} = ChromeUtils.importESModule('chrome://remote/content/shared/NavigableManager.sys.mjs');
  const tab = NavigableManager.getBrowsingContextById(id);
  if (colorScheme !== undefined) tab.prefersColorSchemeOverride = colorScheme || 'none';
  if (media !== undefined) tab.mediumOverride = media || '';
})`;

/**
 * Starts Firefox. A page's emulateMedia() has to be called before its first navigation.
 * @param {string} modules the folder of playwright-core
 * @param {string} executablePath
 * @returns {Promise<{browser: import('playwright-core').Browser, ready: Function}>} ready(page) gives a page an emulateMedia() that works here
 */
export async function launch(modules, executablePath) {
  const {firefox} = createRequire(path.join(modules, 'x'))('playwright-core');
  const browser = await firefox.launch({channel: 'moz-firefox', executablePath, args: ['--remote-allow-system-access']});
  const inside = object => object._connection.toImpl(object); // what playwright-core keeps of it: its version is fixed by the lock file
  const session = inside(browser)._browserSession, sessions = Object.getPrototypeOf(session), {send} = sessions;
  sessions.send = function (method, params) {
    return method === OF_MEDIA ? Promise.resolve({}) : send.call(this, method, params);
  };
  const {contexts: [{context: own}]} = await session.send('browsingContext.getTree', {'moz:scope': 'chrome'});

  function ready(page) {
    const id = inside(page).delegate._session.sessionId;
    page.emulateMedia = async ({colorScheme, media}) => {
      const words = [id, colorScheme, media].map(word => word === undefined ? 'undefined' : JSON.stringify(word));
      const {type, exceptionDetails} = await session.send('script.evaluate', {target: {context: own}, awaitPromise: true, expression: `${MEDIA}(${words})`});
      if (type !== 'success') throw new Error(`Firefox did not emulate media: ${exceptionDetails.text}`);
    };
  }
  return {browser, ready};
}

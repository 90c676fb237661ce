/**
 * main.js - the entry of the bundle: opens the sections, lists the views, starts the shell.
 *
 * A view is a module views/NAME.js with `export default {name, title, key, open(root, page, state, go)}`; open draws into an empty element
 * and returns {update(state), close()}. What goes wrong before there is a page to show becomes a sentence (failure.js).
 */
import './style.css';
import {openPage} from './page.js';
import {missingHere, showFailure} from './failure.js';
import {startShell} from './shell.js';
import {startTheme} from './theme.js';
import overview from './views/overview.js';
import timeline from './views/timeline.js';
import state from './views/state.js';
import tree from './views/tree.js';
import lines from './views/lines.js';
import functions from './views/functions.js';
import source from './views/source.js';
import leaks from './views/leaks.js';
import lifetimes from './views/lifetimes.js';
import diff from './views/diff.js';
import advice from './views/advice.js';

const views = [overview, timeline, state, tree, lines, functions, source, leaks, lifetimes, diff, advice];

const theme = startTheme(); // at once: the page has the right ground from the first, and guard.js sees that this ran
const app = document.getElementById('app');
const missing = missingHere();
if (missing) {
  showFailure(app, new Error(missing));
} else {
  openPage(document).then(page => startShell(app, page, views, theme)).catch(error => showFailure(app, error));
}

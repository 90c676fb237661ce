/**
 * theme.js - light, dark, or as the system has it (auto). main.js starts it, shell.js shows its switch.
 *
 * <html data-theme> always has the theme that is shown, light or dark, on paper light; style.css goes by it alone. What draws on a canvas listens for
 * "themechange" on window and draws again, before it returns: a browser takes the page for paper as soon as every listener of "beforeprint" has returned, and
 * gives no frame to draw in until that is done. The choice is kept for this browser where the page may keep something (a page from disk may).
 */

const CHOICES = ['auto', 'light', 'dark'];
const KEY = 'gpumemprof-theme';

const kept = () => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
};

/** @returns {{choice: () => string, next: () => string}} the choice now; the next one, which it takes */
export function startTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let choice = CHOICES.includes(kept()) ? kept() : 'auto';
  const paper = matchMedia('print');
  const apply = (isPaper = paper.matches) => {
    const shown = isPaper ? 'light' : choice === 'auto' ? (system.matches ? 'dark' : 'light') : choice;
    if (document.documentElement.dataset.theme !== shown) {
      document.documentElement.dataset.theme = shown;
      dispatchEvent(new Event('themechange'));
    }
  };
  system.addEventListener('change', () => apply());
  paper.addEventListener('change', () => apply());
  addEventListener('beforeprint', () => apply(true));
  addEventListener('afterprint', () => apply(false));
  apply();
  return {
    choice: () => choice,
    next() {
      choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
      try {
        localStorage.setItem(KEY, choice);
      } catch {
        // the browser stores nothing: the choice is valid while the page is open
      }
      apply();
      return choice;
    },
  };
}

/**
 * guard.js - shows a message if main.js could not start: a browser too old to read it, or a page whose script is not what its policy names. build.mjs
 * puts it before the bundle as it is, so it is in the JavaScript of 2009.
 */
window.onload = function () {
  var app = document.getElementById('app');
  if (!document.documentElement.getAttribute('data-theme') && app.querySelector('.wait')) {
    app.innerHTML = '';
    app.appendChild(document.createElement('p')).className = 'wait failure';
    app.firstChild.setAttribute('role', 'alert');
    app.firstChild.textContent = 'The script of this page did not run: the browser is too old for it, or the file was changed. Open it in ' +
      'Chromium or Chrome 110, Firefox 115, Safari 16.4, or any later one; write it again with `gpumemprof html`.';
  }
};

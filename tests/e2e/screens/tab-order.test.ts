/** The check of the tab order finds each kind of problem. */
import { expect, test } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { tabOrderProblems } from './tab-order.ts'

const indicator = '<style>:focus-visible { outline: 2px solid }</style>'
const first = '<button>First</button>'
const radios = '<label><input type="radio" name="r"> One</label><label><input type="radio" name="r"> Two</label>'

test.each([
  ['nothing on a page without problems', `${first}<input aria-label="Name">${radios}<a href="#">Last</a>`, []],
  ['a control that is no tab stop', `${first}<button tabindex="-1">Other</button>`, ['button “Other” is not reached by Tab']],
  ['a role without a tab stop', `${first}<div role="switch">Other</div>`, ['div “Other” is not reached by Tab']],
  ['a missing indicator', `${first}<a href="#" style="outline: none">Other</a>`, ['a “Other” does not show its focus']],
  [
    'a control outside the window',
    `${first}<button style="position: fixed; left: -500px">Other</button>`,
    ['button “Other” is out of view when it has the focus'],
  ],
  [
    'a control covered by a bar',
    `${first}<button style="position: absolute; top: 300px">Other</button><div style="position: fixed; inset: 200px 0 0; background: red"></div>`,
    ['button “Other” is out of view when it has the focus'],
  ],
  [
    'a control that keeps the focus',
    `${first}<button onkeydown="event.preventDefault()">Other</button>`,
    ['button “Other” keeps the focus'],
  ],
  [
    'a dialog that Tab closes',
    '<div role="dialog" onfocusout="this.hidden = true"><button>First</button><button>Other</button></div>',
    ['Tab closed the overlay'],
  ],
])('reports %s', async (_what, html, problems) => {
  const page = await (await sharedBrowser()).newPage()
  await page.setContent(indicator + html)
  expect(await tabOrderProblems(page)).toEqual(problems)
  await page.close()
})

/** The check of the tab order finds each kind of problem, also of focus rings. */
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
    'a ring clipped by its container',
    `${first}<div style="overflow: hidden"><button style="width: 100%">Other</button></div>`,
    ['button “Other” has a focus ring that is clipped (left, right, top, bottom)'],
  ],
  [
    'a ring clipped by paint containment',
    `${first}<ul style="contain: paint; padding: 1px; width: 9rem"><button>Other</button></ul>`,
    ['button “Other” has a focus ring that is clipped (left, top, bottom)'],
  ],
  [
    'nothing of a ring that is clipped on one side, inside of its box, or in a containing block outside of the container',
    [
      first,
      '<div style="overflow: hidden; padding: 9px 9px 9px 0"><button>One side</button></div>',
      '<div style="overflow: auto"><button style="width: 100%; outline-offset: -2px">Inside</button></div>',
      '<div style="position: relative"><div style="overflow: clip; height: 9px"><button style="position: absolute">Outside</button></div></div>',
    ].join(''),
    [],
  ],
  [
    'nothing of a ring whose box is scrolled, partly out of view',
    `${first}<div style="overflow: clip; width: 60px"><div style="overflow: auto; height: 60px; padding: 9px"><button style="height: 300px; width: 300px">Other</button></div></div>`,
    [],
  ],
  [
    'a ring of low contrast in one colour mode',
    `<html class="theme-any"><style>:root { background: light-dark(#fff, #000) } :focus-visible { outline-color: #888 }</style>${first}<div style="background: light-dark(rgb(0 0 0 / 0.4), #0000); padding: 9px"><button>Other</button></div>`,
    ['button “Other” has a focus ring of low contrast (1.2:1 in light)'],
  ],
  [
    'nothing of the ring of a transparent input inside its label',
    `<style>label:has(:focus-visible) { outline: 2px solid } label input { opacity: 0; outline-color: #fff }</style>${radios}`,
    [],
  ],
  [
    'a ring inside of its box by the background of the box',
    `${first}<button style="outline-color: #777; outline-offset: -2px; background: #888">Other</button>`,
    ['button “Other” has a focus ring of low contrast (1.3:1 in its mode)'],
  ],
  [
    'nothing of a ring on an image',
    `${first}<div style="background: linear-gradient(#888, #777); padding: 9px"><button style="outline-color: #777">Other</button></div>`,
    [],
  ],
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

test('reports rings of low contrast in each theme, and restores the page', async () => {
  const page = await (await sharedBrowser()).newPage()
  const themes = '.theme-good { --ring: light-dark(#555, #aaa) } .theme-bad { --ring: light-dark(#ddd, #aaa) }'
  const colors = ':root { color-scheme: dark; background: light-dark(#fff, #000) } :focus-visible { outline-color: var(--ring) }'
  await page.setContent(`${indicator}<style>${themes}${colors}</style>${first}`)
  await page.evaluate(() => {
    document.documentElement.className = 'dark theme-good'
  })
  expect(await tabOrderProblems(page)).toEqual([])
  expect(await tabOrderProblems(page, ['good', 'bad'])).toEqual(['button “First” has a focus ring of low contrast (1.4:1 in bad, light)'])
  const root = await page.evaluate(() => (document.documentElement.cloneNode(false) as HTMLElement).outerHTML)
  expect(root).toBe('<html class="dark theme-good"></html>')
  await page.close()
})

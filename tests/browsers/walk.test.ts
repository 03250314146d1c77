// The core scenario in every engine that this machine has: `npm run test:browsers`.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Product, startProduct } from '../support/product.ts'
import { chromium } from './chromium.ts'
import { firefox } from './firefox.ts'
import { type Network, openNetwork } from './network.ts'
import type { Browser, Tab } from './tab.ts'
import { webkit } from './webkit.ts'

const by = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`
const composer = by('form[aria-label="Composer"] textarea')
const send = by('form[aria-label="Composer"] button[aria-label="Send message"]')
/** The first element of a role with this text in its label or content. */
const withText = (selector: string, text: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((element) => \`\${element.ariaLabel} \${element.innerText}\`.includes(${JSON.stringify(text)}))`
const answers = `[...document.querySelectorAll('[role=log] article[aria-label=Answer]')].map((article) => article.innerText)`

/** Collects the lengths that the last answer has had. A poll from outside could miss a whole answer on a busy machine. */
const recordLengths = `(() => {
  window.lengths = new Set()
  const record = () => window.lengths.add(${answers}.at(-1)?.length ?? 0)
  new MutationObserver(record).observe(document.body, { childList: true, subtree: true, characterData: true })
})()`

const until = (tab: Tab, expression: string) =>
  expect.poll(() => tab.evaluate(`Boolean(${expression})`).catch(() => false), { message: expression }).toBe(true)

const isReady = (text: string) => `${answers}.at(-1)?.includes(${JSON.stringify(text)}) && !${by('button[aria-label="Stop generating"]')}`

for (const engine of [chromium, firefox, webkit]) {
  describe.skipIf(engine.missing !== null)(engine.missing ? `${engine.name} is skipped: ${engine.missing}` : engine.name, () => {
    let product: Product
    let network: Network
    let browser: Browser
    let tab: Tab
    let second: Tab

    beforeAll(async () => {
      product = await startProduct()
      network = await openNetwork(product.port)
      browser = await engine.launch()
      tab = await browser.newTab()
    })
    afterAll(async () => {
      await browser?.close()
      await network?.cut()
      await product?.stop()
    })

    const write = async (on: Tab, text: string) => {
      await until(on, composer)
      await on.click(composer)
      await on.type(text)
    }

    test('sends a message and streams the answer', async () => {
      await tab.open(network.url)
      await write(tab, '/demo chunks=12 delay=200 tides')
      await tab.evaluate(recordLengths)
      await tab.press('Enter')
      await until(tab, isReady('word12'))
      // The answer grew in steps.
      expect(await tab.evaluate('window.lengths.size')).toBeGreaterThan(2)
      expect(await tab.evaluate(composer.concat('.value'))).toBe('')
    })

    test('continues a streaming answer after a reload', async () => {
      await write(tab, '/demo chunks=12 delay=300 moon')
      await tab.click(send)
      await until(tab, `${answers}.length === 2 && ${answers}.at(-1).includes('word1')`)
      await tab.reload()
      await until(tab, isReady('word12'))
      await until(tab, `${answers}.length === 2`)
    })

    test('shows the thread, and a message of the first tab, in a second tab', async () => {
      const address = String(await tab.evaluate('location.href'))
      second = await browser.newTab()
      await second.open(address)
      await until(second, isReady('word12'))
      await write(tab, '/demo chunks=2 delay=0 rain')
      await tab.press('Enter')
      // Not by the number of answers: only those near the view are rendered.
      await until(second, `${answers}.at(-1)?.includes('word2') && !${answers}.at(-1).includes('word12')`)
    })

    test('opens the model picker, chooses by keys, and closes it', async () => {
      const button = withText('form[aria-label="Composer"] button[aria-haspopup]', 'Model')
      await until(tab, button)
      await tab.click(button)
      await until(tab, by('[role=dialog] [role=option]'))
      await tab.press('ArrowDown')
      await until(tab, by('[role=option][data-active-item]'))
      await tab.press('Escape')
      await until(tab, `!${by('[role=dialog] [role=option]')}`)
    })

    test('opens a menu by the arrow keys', async () => {
      await tab.evaluate(
        `(${withText('button[aria-haspopup=menu]', 'guest')} ?? ${withText('button[aria-haspopup=menu]', 'Guest')}).focus()`,
      )
      await tab.press('ArrowDown')
      await until(tab, by('[role=menu] [role^=menuitem]'))
      await tab.press('Escape')
      await until(tab, `!${by('[role=menu]')}`)
    })

    test('moves in the actions of a message by the arrow keys', async () => {
      await tab.evaluate(`${by('[role=log] [role=toolbar] [aria-label=Copy]')}.focus()`)
      await tab.press('ArrowRight')
      await until(tab, `document.activeElement.ariaLabel === 'Edit'`)
      // The toolbar is one tab stop.
      await tab.press('Tab')
      await until(tab, `!document.activeElement.closest('[role=toolbar]')?.querySelector('[aria-label=Edit]')`)
    })

    test('finds the thread in the palette', async () => {
      await tab.pressWithControl('k')
      await until(tab, by('[role=dialog] [role=combobox]'))
      await tab.type('tides')
      await until(tab, withText('[role=option]', 'Tides'))
      await tab.press('Escape')
      await until(tab, `!${by('[role=dialog]')}`)
    })

    test('keeps what is sent without a network, and delivers it once', async () => {
      await network.cut()
      await write(tab, '/demo chunks=2 delay=0 snow')
      await tab.press('Enter')
      await until(tab, withText('[role=log] article', 'snow'))
      await network.mend()
      await until(tab, `${answers}.length === 4 && ${isReady('word2')}`)
      await until(second, `${answers}.length === 4`)
      expect(
        await second.evaluate(
          `[...document.querySelectorAll('[role=log] article')].filter((article) => article.innerText.includes('snow')).length`,
        ),
      ).toBe(1)
    })

    test('goes back to an empty page', async () => {
      await tab.click(withText('button, a', 'New thread'))
      await until(tab, `location.pathname === '/' && ${composer}`)
      await tab.back()
      await until(tab, `location.pathname !== '/' && ${answers}.length === 4`)
    })
  })
}

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

    /** Puts the text at the caret, as typing would. */
    const insert = (text: string) =>
      tab.evaluate(`(${composer}.focus(), document.execCommand('insertText', false, ${JSON.stringify(text)}))`)
    const value = composer.concat('.value')

    test('attaches a long paste, inserts it as text again, and takes that back', async () => {
      const line = 'a < b & c'
      await until(tab, composer)
      await tab.evaluate(`${composer}.focus()`)
      await insert(`${line}\n`.repeat(500))
      await tab.pressWithControl('a')
      await tab.pressWithControl('x')
      await until(tab, `${value} === ''`)
      await tab.type('Sum it up: ')
      await tab.pressWithControl('v')
      await until(tab, withText('form[aria-label="Composer"] li', '5,000 characters'))
      expect(await tab.evaluate(value)).toBe('Sum it up: ')
      await until(tab, `!${by('form[aria-label="Composer"] [role=progressbar]')}`)
      await tab.click(withText('button', 'Insert as text'))
      await until(tab, `!${by('form[aria-label="Composer"] li')}`)
      expect(await tab.evaluate(value)).toBe(`Sum it up: ${`${line}\n`.repeat(500)}`)
      // By command, because the driver of WebKit has no key for it. Twice where the last line break was inserted afterwards.
      const undo = "document.execCommand('undo')"
      for (let times = 0; times < 2 && (await tab.evaluate(value)) !== 'Sum it up: '; times += 1) await tab.evaluate(undo)
      await until(tab, `${value} === 'Sum it up: '`)
      await tab.pressWithControl('a')
      await tab.pressWithControl('x')
    })

    test('copies a table, which the composer receives as Markdown', async () => {
      const table = '| Port | Height |\n| --- | --- |\n| Brest | 6 m |'
      await insert(`/demo delay=0 say=${table}`)
      await tab.press('Enter')
      await until(tab, by('[role=log] table'))
      await until(tab, isReady('Brest'))
      // The buttons of a table appear when the pointer is on it.
      await tab.click(by('[role=log] table td'))
      await tab.click(withText('button', 'Copy table'))
      await until(tab, withText('button', 'Copied'))
      await tab.click(composer)
      await tab.pressWithControl('v')
      await until(tab, `${value} === ${JSON.stringify(table)}`)
      await tab.pressWithControl('a')
      await tab.pressWithControl('x')
    })

    test('edits a message in its place', async () => {
      await tab.click(`[...document.querySelectorAll('[role=log] [role=toolbar] [aria-label=Edit]')].at(-1)`)
      const edited = by('[role=log] form[aria-label="Composer"] textarea')
      await until(tab, `document.activeElement === ${edited}`)
      await tab.pressWithControl('a')
      await tab.type('/demo delay=0 say=High water')
      await tab.click(withText('[role=log] button', 'Save & send'))
      await until(tab, isReady('High water'))
      await until(tab, `!${edited}`)
    })

    test('opens the menu of a message by a long press', async () => {
      // The drivers cannot touch. The page reads the kind of pointer when it renders a message.
      await tab.evaluate(`(() => {
        const ask = window.matchMedia.bind(window)
        window.matchMedia = (query) => query === '(pointer: coarse)' ? Object.assign(new EventTarget(), { matches: true }) : ask(query)
      })()`)
      await tab.click(withText('button, a', 'New thread'))
      await until(tab, `location.pathname === '/'`)
      await tab.back()
      const question = `Array.from(document.querySelectorAll('[role=log] article[aria-label="Your message"]')).at(-1)`
      await until(tab, `${question}?.innerText.includes('High water')`)
      await tab.evaluate(`(() => {
        const { left, top } = ${question}.getBoundingClientRect()
        const touch = { pointerType: 'touch', isPrimary: true, clientX: left + 5, clientY: top + 5, bubbles: true }
        ${question}.dispatchEvent(new PointerEvent('pointerdown', touch))
      })()`)
      await until(tab, withText('[role=menu] [role=menuitem]', 'Fork from here'))
      await tab.press('Escape')
      await until(tab, `!${by('[role=menu]')}`)
      await tab.reload()
      await until(tab, isReady('High water'))
    })

    test('opens menus as sheets in a small window', async () => {
      await tab.resize(600, 700)
      await until(tab, 'innerWidth === 600')
      const trigger = `[...document.querySelectorAll('[role=log] button[aria-haspopup=menu]')].at(-1)`
      await tab.click(trigger)
      await until(tab, by('[role=menu] [role^=menuitem]'))
      const box = `${by('[role=menu]')}.getBoundingClientRect()`
      await until(tab, `${box}.left === 0 && ${box}.right === innerWidth && ${box}.bottom === innerHeight && ${box}.top > 0`)
      await tab.press('Escape')
      await until(tab, `!${by('[role=menu]')}`)
      expect(await tab.evaluate(`document.activeElement === ${trigger}`)).toBe(true)
      await tab.resize(1280, 700)
      await until(tab, 'innerWidth === 1280')
    })

    test('goes back to an empty page', async () => {
      // The sidebar returns with the width of the window.
      await until(tab, `${withText('button, a', 'New thread')}?.getBoundingClientRect().x >= 0`)
      await tab.click(withText('button, a', 'New thread'))
      await until(tab, `location.pathname === '/' && ${composer}`)
      await tab.back()
      await until(tab, `location.pathname !== '/' && ${answers}.at(-1)?.includes('High water')`)
    })
  })
}

// Firefox, driven through WebDriver BiDi. Debian's package is `firefox-esr`; FIREFOX_PATH names another one.
import { existsSync } from 'node:fs'
import puppeteer, { type ElementHandle } from 'puppeteer-core'
import type { Engine } from './tab.ts'

const path = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr'

export const firefox: Engine = {
  name: 'Firefox',
  missing: existsSync(path) ? null : `${path} does not exist (apt-get install firefox-esr)`,
  launch: async () => {
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath: path, headless: true, timeout: 120_000 })
    return {
      newTab: async () => {
        const page = await browser.newPage()
        await page.setViewport({ width: 1280, height: 800 })
        return {
          open: async (url) => void (await page.goto(url)),
          reload: async () => void (await page.reload()),
          back: async () => void (await page.goBack()),
          evaluate: (expression) => page.evaluate(expression),
          click: async (expression) => {
            await page.bringToFront()
            const element = (await page.evaluateHandle(expression)).asElement() as ElementHandle<Element> | null
            if (!element) throw new Error(`no element: ${expression}`)
            await element.click()
          },
          type: (text) => page.keyboard.type(text),
          press: (key) => page.keyboard.press(key),
          pressWithControl: async (character) => {
            await page.keyboard.down('Control')
            await page.keyboard.press(character as 'k')
            await page.keyboard.up('Control')
          },
          resize: (width, height) => page.setViewport({ width, height }),
        }
      },
      close: () => browser.close(),
    }
  },
}

import { launchBrowser } from '../support/browser.ts'
import type { Engine } from './tab.ts'

export const chromium: Engine = {
  name: 'Chromium',
  missing: null,
  launch: async () => {
    const browser = await launchBrowser()
    const context = await browser.newContext()
    return {
      newTab: async () => {
        const page = await context.newPage()
        return {
          open: async (url) => void (await page.goto(url)),
          reload: async () => void (await page.reload()),
          back: async () => void (await page.goBack()),
          evaluate: (expression) => page.evaluate(expression),
          click: async (expression) => {
            const element = (await page.evaluateHandle(expression)).asElement()
            if (!element) throw new Error(`no element: ${expression}`)
            await element.click()
          },
          type: (text) => page.keyboard.type(text),
          press: (key) => page.keyboard.press(key),
          pressWithControl: (character) => page.keyboard.press(`Control+${character}`),
          resize: (width, height) => page.setViewportSize({ width, height }),
        }
      },
      close: () => browser.close(),
    }
  },
}

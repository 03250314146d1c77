// Draws web/public/icons from web/public/favicon.svg, for when that changes: `node scripts/icons.ts`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser } from '../tests/support/browser.ts'
import { fail } from './lib/console.ts'
import { rootDir } from './lib/paths.ts'

/** Systems cut the corners of a full icon themselves. The drawing is within the safe zone of maskable icons. */
const icons = [
  { name: 'icon-192.png', sizePx: 192, isFull: false },
  { name: 'icon-512.png', sizePx: 512, isFull: false },
  { name: 'icon-maskable-512.png', sizePx: 512, isFull: true },
  { name: 'apple-touch-icon.png', sizePx: 180, isFull: true },
] as const

async function draw() {
  const publicDir = join(rootDir, 'web/public')
  const svg = readFileSync(join(publicDir, 'favicon.svg'), 'utf8')
  mkdirSync(join(publicDir, 'icons'), { recursive: true })
  const browser = await launchBrowser()
  for (const { name, sizePx, isFull } of icons) {
    const page = await browser.newPage({ viewport: { width: sizePx, height: sizePx } })
    const drawing = isFull ? svg.replace(' rx="8"', '') : svg
    await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${drawing}`)
    writeFileSync(join(publicDir, 'icons', name), await page.screenshot({ omitBackground: true }))
    await page.close()
  }
  await browser.close()
}

await draw().catch(fail('Parley: icons'))

// Draws web/public/icons from web/public/favicon.svg, and web/public/share-preview.png from it and docs/thread.png, for when these change:
// `node scripts/icons.ts`.
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
  const preview = await browser.newPage({ viewport: previewPx })
  await preview.setContent(previewHtml(svg))
  await preview.evaluate('document.fonts.ready.then(() => undefined)')
  writeFileSync(join(publicDir, 'share-preview.png'), await preview.screenshot())
  await browser.close()
}

/** The size that previews of links show uncut (`worker/page/share-page.ts` states it). */
const previewPx = { width: 1200, height: 630 }

/** The mark, the name, what the product is, and a thread, which continues outside of the picture. */
function previewHtml(svg: string): string {
  const dataUrl = (path: string, type: string) => `data:${type};base64,${readFileSync(join(rootDir, path)).toString('base64')}`
  const font = dataUrl('node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2', 'font/woff2')
  const thread = dataUrl('docs/thread.png', 'image/png')
  return `<style>
@font-face { font-family: Geist; src: url(${font}); font-weight: 100 900 }
body { margin: 0; height: 630px; overflow: hidden; background: #0b2a2f; color: #e9f5f4; font-family: Geist }
main { position: absolute; left: 72px; top: 0; width: 400px; height: 630px; display: flex; flex-direction: column; justify-content: center }
svg { width: 88px; height: 88px }
h1 { margin: 28px 0 12px; font-size: 64px; font-weight: 600; letter-spacing: -0.03em; line-height: 1 }
p { margin: 0; font-size: 30px; line-height: 1.35; color: #b4d3d0; text-wrap: pretty }
div { position: absolute; left: 520px; top: 72px; width: 800px; height: 640px; border-radius: 20px; box-shadow: 0 0 0 1px #ffffff26, 0 24px 80px #0009;
  background: url(${thread}) -470px -20px / 1440px no-repeat }
</style><main>${svg}<h1>Parley</h1><p>Chat with models from OpenAI, Anthropic, and more</p></main><div></div>`
}

await draw().catch(fail('Parley: icons'))

/** The sprite `web/ui/maker-icons.svg`: the marks of makers in one colour, from `@lobehub/icons-static-svg`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootDir } from './paths.ts'

/** Names of files of the package, by the id of the symbol. */
const files: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'gemini',
  xai: 'xai',
  deepseek: 'deepseek',
  meta: 'meta',
  mistral: 'mistral',
  qwen: 'qwen',
  moonshot: 'moonshot',
  zai: 'zai',
  ollama: 'ollama',
  cloudflare: 'workersai',
  openrouter: 'openrouter',
}

/** Own drawing, for a server of the user. */
const server =
  '  <symbol id="compatible" viewBox="0 0 24 24"><path d="M4 4h16v7H4zm2 2v3h12V6zM4 13h16v7H4zm2 2v3h12v-3zM7 6.7h2v1.6H7zm0 9h2v1.6H7z" fill-rule="evenodd"/></symbol>'

export function makerIcons(): string {
  const symbols = Object.entries(files).map(([id, file]) => {
    const svg = readFileSync(join(rootDir, 'node_modules/@lobehub/icons-static-svg/icons', `${file}.svg`), 'utf8')
    const drawing = /<\/title>(.*)<\/svg>/s.exec(svg)?.[1]
    if (drawing === undefined || !svg.includes('viewBox="0 0 24 24"')) throw new Error(`${file}.svg has another form`)
    return `  <symbol id="${id}" viewBox="0 0 24 24"><g fill-rule="evenodd">${drawing.replaceAll('></path>', '/>')}</g></symbol>`
  })
  return ['<svg xmlns="http://www.w3.org/2000/svg">', '  <title>Icons of makers</title>', ...symbols, server, '</svg>', ''].join('\n')
}

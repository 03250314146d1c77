/**
 * Draws a diagram. Its code comes from a model that may have read anything, so: it may say nothing of how the library works, it is kept small
 * enough to be laid out in a moment, and what would name an address is refused before the library sees it. The result is a picture.
 */
import mermaid from 'mermaid'
import { diagramColours } from './diagram-colours.ts'
import type { Drawing } from './drawings.ts'
import { diagramNamesAddress } from './safe-url.ts'

type Kind = {
  readonly begin: RegExp
  readonly name: string
  readonly maxLines?: number
  /** What would make the work more than the lines say. */
  readonly refuses?: RegExp
}

/** What is drawn, by how it begins. Kinds that are missing have numbers in them that decide how much work they are, as what is refused has. */
const kinds: readonly Kind[] = [
  // A longer arrow passes by as many more rows, each with a point of its own.
  { begin: /^(?:graph|flowchart)\b/, name: 'Flowchart', refuses: /-{16}|={16}|\.{16}|~{16}/ },
  { begin: /^sequenceDiagram\b/, name: 'Sequence diagram' },
  { begin: /^classDiagram\b/, name: 'Class diagram' },
  { begin: /^stateDiagram\b/, name: 'State diagram' },
  { begin: /^erDiagram\b/, name: 'Entity relationship diagram' },
  // Around days left out a task is walked through day by day, and an axis has a line for every interval, over any number of years.
  { begin: /^gantt\b/, name: 'Gantt chart', refuses: /(?:excludes|tickInterval)\s/i },
  { begin: /^pie\b/, name: 'Pie chart' },
  // Its layout takes the square of its nodes: 240 of them seconds, 80 half of one.
  { begin: /^mindmap\b/, name: 'Mind map', maxLines: 80 },
  { begin: /^timeline\b/, name: 'Timeline' },
  { begin: /^journey\b/, name: 'User journey' },
  { begin: /^gitGraph\b/, name: 'Git graph', maxLines: 80 },
  { begin: /^quadrantChart\b/, name: 'Quadrant chart' },
  { begin: /^xychart(?:-beta)?\b/, name: 'Chart' },
]

const maxChars = 8000
const defaultMaxLines = 200
const maxEdges = 200
const maxPictureChars = 1_000_000
const maxPictureSide = 20_000

/** Fonts that every system has: a picture cannot use the page's, and is measured with the one it is drawn with. */
const fontFamily = 'Arial, "Liberation Sans", Helvetica, sans-serif'

const refused = (reason: string): Drawing => ({ kind: 'refused', reason })
const tooLarge = refused('This diagram is too large to be drawn.')
const wrong = refused('This diagram has a mistake and could not be drawn.')

let count = 0

export async function draw(code: string): Promise<Drawing> {
  if (code.length > maxChars) return tooLarge
  const { own, title } = withoutSettings(code)
  const kind = kinds.find(({ begin }) => begin.test(own))
  if (!kind) return refused('This kind of diagram is not drawn here.')
  const { name, maxLines = defaultMaxLines, refuses } = kind
  if (own.split('\n').length > maxLines) return tooLarge
  if (refuses?.test(own)) return refused('This diagram asks for more work than is done for one, so it is not drawn.')
  // What is left of a directive that has no end, or was hidden in another.
  if (own.includes('%%{')) return wrong
  if (diagramNamesAddress(own)) return refused('This diagram refers to something outside of it, so it is not drawn.')
  const place = hiddenPlace()
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      suppressErrorRendering: true,
      secure: [...Object.keys(mermaid.mermaidAPI.defaultConfig), 'themeCSS', 'secure'],
      deterministicIds: true,
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      maxTextSize: maxChars,
      maxEdges,
      look: 'classic',
      theme: 'base',
      fontFamily,
      themeVariables: { ...diagramColours(), fontFamily, fontSize: '14px' },
    })
    count += 1
    const { svg } = await mermaid.render(`diagram-${count}`, own, place)
    return pictureOf(svg, title ? `${name}: ${title}` : name) ?? wrong
  } catch {
    // Whatever the library says of it is said to those who know its parser.
    return wrong
  } finally {
    place.remove()
  }
}

/** Directives and the head of a file set how the library works. Of the head only the title is the diagram's own. */
function withoutSettings(code: string): { own: string; title: string | undefined } {
  const head = /^\s*---\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(code)
  const own = withoutDirectives(code.slice(head?.[0].length ?? 0))
    .replace(/^(?:\s*%%[^\n]*\n)+/, '')
    .trim()
  const title = /^title:[ \t]*([^\n]+)$/m.exec(head?.[1] ?? '') ?? ownTitle.exec(own)
  return { own, title: title?.[1]?.trim() }
}

function withoutDirectives(code: string): string {
  const kept: string[] = []
  let at = 0
  for (;;) {
    const begin = code.indexOf('%%{', at)
    const end = begin === -1 ? -1 : code.indexOf('}%%', begin)
    if (end === -1) return kept.join('') + code.slice(at)
    kept.push(code.slice(at, begin))
    at = end + '}%%'.length
  }
}

const ownTitle = /^[ \t]*(?:accTitle[ \t]*:|(?:pie[ \t]+(?:showData[ \t]+)?)?title[ \t])[ \t]*"?([^"\n]+)/m

/** The library measures on the page. Nothing of the page's own style may reach in, or the picture would have other measures. */
function hiddenPlace(): HTMLElement {
  const place = document.createElement('div')
  place.setAttribute('aria-hidden', 'true')
  place.style.cssText =
    'all: initial; position: fixed; top: 0; left: 0; width: 800px; visibility: hidden; pointer-events: none; contain: strict'
  document.body.append(place)
  return place
}

function pictureOf(svg: string, name: string): Drawing | null {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (root.localName !== 'svg' || !(width > 0 && height > 0)) return null
  if (width > maxPictureSide || height > maxPictureSide) return tooLarge
  root.setAttribute('width', String(width))
  root.setAttribute('height', String(height))
  root.removeAttribute('style')
  centreStates(root)
  const text = new XMLSerializer().serializeToString(root)
  if (text.length > maxPictureChars) return tooLarge
  return { kind: 'drawn', url: `data:image/svg+xml,${encodeURIComponent(text)}`, width: Math.ceil(width), height: Math.ceil(height), name }
}

/** Without HTML in it, the name of a state begins where its box does, however wide that is. The label begins half its width from the middle. */
function centreStates(root: Element): void {
  for (const label of root.querySelectorAll('.statediagram-state > .label')) {
    const begin = /^translate\(([-\d.]+)/.exec(label.getAttribute('transform') ?? '')?.[1]
    const name = label.querySelector('text:not([transform])')
    if (begin === undefined || !name) continue
    name.setAttribute('text-anchor', 'middle')
    name.setAttribute('transform', `translate(${-Number(begin)}, 0)`)
  }
}

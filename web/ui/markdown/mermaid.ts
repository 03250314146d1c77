/**
 * Draws a diagram. Its code comes from a model that may have read anything, so: it may say nothing of how the library works, it is kept small
 * enough to be laid out in a moment, and what would name an address is refused before the library sees it. The result is a picture.
 */
import mermaid from 'mermaid'
import { diagramColours } from './diagram-colours.ts'
import type { Drawing } from './drawings.ts'

type Kind = { readonly begin: RegExp; readonly name: string; readonly maxLines?: number }

/** What is drawn, by how it begins. Kinds that are missing have numbers in them that decide how much work they are. */
const kinds: readonly Kind[] = [
  { begin: /^(?:graph|flowchart)\b/, name: 'Flowchart' },
  { begin: /^sequenceDiagram\b/, name: 'Sequence diagram' },
  { begin: /^classDiagram\b/, name: 'Class diagram' },
  { begin: /^stateDiagram\b/, name: 'State diagram' },
  { begin: /^erDiagram\b/, name: 'Entity relationship diagram' },
  { begin: /^gantt\b/, name: 'Gantt chart' },
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

/** Fonts that every system has: a picture cannot use the page's, and is measured with the one it is drawn with. */
const fontFamily = 'Arial, "Liberation Sans", Helvetica, sans-serif'

const refused = (reason: string): Drawing => ({ kind: 'refused', reason })
const tooLarge = refused('This diagram is too large to be drawn.')
const wrong = refused('This diagram has a mistake and could not be drawn.')

let count = 0

export async function draw(code: string): Promise<Drawing> {
  const { own, title } = withoutSettings(code)
  const kind = kinds.find(({ begin }) => begin.test(own))
  if (!kind) return refused('This kind of diagram is not drawn here.')
  const { name, maxLines = defaultMaxLines } = kind
  if (own.length > maxChars || own.split('\n').length > maxLines) return tooLarge
  if (namesAddress(own)) return refused('This diagram refers to something outside of it, so it is not drawn.')
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
  const own = code
    .slice(head?.[0].length ?? 0)
    .replace(/%%\{[\s\S]*?\}%%/g, '')
    .replace(/^(?:\s*%%[^\n]*\n)+/, '')
    .trim()
  const title = /^title:[ \t]*([^\n]+)$/m.exec(head?.[1] ?? '') ?? ownTitle.exec(own)
  return { own, title: title?.[1]?.trim() }
}

const ownTitle = /^[ \t]*(?:accTitle[ \t]*:|(?:pie[ \t]+(?:showData[ \t]+)?)?title[ \t])[ \t]*"?([^"\n]+)/m

/** Pictures in nodes, and styles that fetch. Links and clicks stay: a picture has none. */
const namesAddress = (code: string): boolean =>
  /url\s*\(|@import|image-set|\b(?:img|image|sprite)\s*[:=]|<\s*(?:img|image|svg|iframe|object|embed|link|style|script|video|audio|use)\b/i.test(
    code,
  ) ||
  // How a style spells what must not be read in it.
  /^\s*(?:style|classDef|linkStyle|cssClass)\b[^\n]*(?:\\|\/\*|[{}@])/im.test(code)

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
  root.setAttribute('width', String(width))
  root.setAttribute('height', String(height))
  root.removeAttribute('style')
  const text = new XMLSerializer().serializeToString(root)
  if (text.length > maxPictureChars) return tooLarge
  return { kind: 'drawn', url: `data:image/svg+xml,${encodeURIComponent(text)}`, width: Math.ceil(width), height: Math.ceil(height), name }
}

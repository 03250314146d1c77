/**
 * Draws a diagram. Its code comes from a model that may have read anything, so: it may say nothing of how the library works, it is kept small
 * enough to be laid out in a moment, and what would name an address is refused before the library sees it. The result is a picture.
 */
import mermaid from 'mermaid'
import { diagramColours } from './diagram-colours.ts'
import type { Drawing } from './drawings.ts'

/** The kinds that are drawn, by how they begin. Others have numbers in them that decide how much work they are. */
const kinds: readonly (readonly [begin: RegExp, name: string])[] = [
  [/^(?:graph|flowchart)\b/, 'Flowchart'],
  [/^sequenceDiagram\b/, 'Sequence diagram'],
  [/^classDiagram\b/, 'Class diagram'],
  [/^stateDiagram\b/, 'State diagram'],
  [/^erDiagram\b/, 'Entity relationship diagram'],
  [/^gantt\b/, 'Gantt chart'],
  [/^pie\b/, 'Pie chart'],
  [/^mindmap\b/, 'Mind map'],
  [/^timeline\b/, 'Timeline'],
  [/^journey\b/, 'User journey'],
  [/^gitGraph\b/, 'Git graph'],
  [/^quadrantChart\b/, 'Quadrant chart'],
  [/^xychart(?:-beta)?\b/, 'Chart'],
  [/^sankey(?:-beta)?\b/, 'Sankey diagram'],
]

const maxChars = 8000
const maxLines = 250
const maxEdges = 200
const maxPictureChars = 1_000_000

/** Fonts that every system has: a picture cannot use the page's, and is measured with the one it is drawn with. */
const fontFamily = 'Arial, "Liberation Sans", Helvetica, sans-serif'

const refused = (reason: string): Drawing => ({ kind: 'refused', reason })
const wrong = refused('This diagram has a mistake and could not be drawn.')

let count = 0

export async function draw(code: string): Promise<Drawing> {
  const { own, title } = withoutSettings(code)
  const kind = kinds.find(([begin]) => begin.test(own))
  if (!kind) return refused('This kind of diagram is not drawn here.')
  if (own.length > maxChars || own.split('\n').length > maxLines) return refused('This diagram is too large to be drawn.')
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
      theme: 'base',
      fontFamily,
      themeVariables: { ...diagramColours(), fontFamily, fontSize: '14px' },
    })
    count += 1
    const { svg } = await mermaid.render(`diagram-${count}`, own, place)
    return pictureOf(svg, title ? `${kind[1]}: ${title}` : kind[1]) ?? wrong
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
  if (text.length > maxPictureChars) return refused('This diagram is too large to be drawn.')
  return { kind: 'drawn', url: `data:image/svg+xml,${encodeURIComponent(text)}`, width: Math.ceil(width), height: Math.ceil(height), name }
}

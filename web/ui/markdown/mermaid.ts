/**
 * Renders a diagram. Its code comes from a model that may have read untrusted text. Therefore the code cannot configure the library, its
 * size is limited so that layout is fast, and code that can name an address is refused before the library parses it. The result is an
 * image.
 */
import mermaid from 'mermaid'
import type { Drawing } from './diagram.tsx'
import { diagramNamesAddress } from './safe-url.ts'
import { t } from './texts/en.ts'

type DiagramName =
  | ('flowchart' | 'sequenceDiagram' | 'classDiagram' | 'stateDiagram' | 'erDiagram' | 'ganttChart' | 'pieChart' | 'mindMap' | 'timeline')
  | ('userJourney' | 'gitGraph' | 'quadrantChart' | 'chart')

type Kind = {
  readonly begin: RegExp
  /** A key of the texts. */
  readonly name: DiagramName
  readonly maxLines?: number
  /** Statements that would cost more than the line count indicates. */
  readonly refuses?: RegExp
}

/** Supported kinds by their first line. Kinds and statements with numbers that determine the amount of work are not supported. */
const kinds: readonly Kind[] = [
  // A longer arrow spans more rows, each with a point.
  { begin: /^(?:graph|flowchart)\b/, name: 'flowchart', refuses: /-{16}|={16}|\.{16}|~{16}/ },
  { begin: /^sequenceDiagram\b/, name: 'sequenceDiagram' },
  { begin: /^classDiagram\b/, name: 'classDiagram' },
  { begin: /^stateDiagram\b/, name: 'stateDiagram' },
  { begin: /^erDiagram\b/, name: 'erDiagram' },
  // With excluded days, a task is computed day by day; an axis has a line for every interval, over any number of years.
  { begin: /^gantt\b/, name: 'ganttChart', refuses: /(?:excludes|tickInterval)\s/i },
  { begin: /^pie\b/, name: 'pieChart' },
  // Layout time is quadratic in the number of nodes: 240 take seconds, 80 half a second.
  { begin: /^mindmap\b/, name: 'mindMap', maxLines: 80 },
  { begin: /^timeline\b/, name: 'timeline' },
  { begin: /^journey\b/, name: 'userJourney' },
  { begin: /^gitGraph\b/, name: 'gitGraph', maxLines: 80 },
  { begin: /^quadrantChart\b/, name: 'quadrantChart' },
  { begin: /^xychart(?:-beta)?\b/, name: 'chart' },
]

const maxChars = 8000
const defaultMaxLines = 200
const maxEdges = 200
const maxPictureChars = 1_000_000
const maxPictureSide = 20_000

const defaultLabelPx = 14

/** For characters that the font of the page does not have, and without it. */
const systemFonts = 'Arial, "Liberation Sans", Helvetica, sans-serif'

const refused = (reason: string): Drawing => ({ kind: 'refused', reason })
const tooLarge = () => refused(t('diagramTooLarge'))
const wrong = () => refused(t('diagramWrong'))

let count = 0

export async function draw(code: string): Promise<Drawing> {
  if (code.length > maxChars) return tooLarge()
  const { own, title } = withoutSettings(code)
  const kind = kinds.find(({ begin }) => begin.test(own))
  if (!kind) return refused(t('diagramUnsupported'))
  const { name, maxLines = defaultMaxLines, refuses } = kind
  if (own.split('\n').length > maxLines) return tooLarge()
  if (refuses?.test(own)) return refused(t('diagramTooComplex'))
  // The remains of an unclosed or nested directive.
  if (own.includes('%%{')) return wrong()
  if (diagramNamesAddress(own)) return refused(t('diagramAddress'))
  const font = await embeddedFont(own)
  const fontFamily = font === '' ? systemFonts : `${pageFont}, ${systemFonts}`
  const place = hiddenPlace()
  try {
    const colours = diagramColours()
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
      journey: { taskFontFamily: fontFamily, titleFontFamily: fontFamily },
      themeVariables: { ...colours, fontFamily, fontSize: `${defaultLabelPx}px` },
    })
    count += 1
    const { svg } = await mermaid.render(`diagram-${count}`, own, place)
    return pictureOf(svg, title ? `${t(name)}: ${title}` : t(name), { place, ground: colours.background, font }) ?? wrong()
  } catch {
    // The library's messages are written for developers.
    return wrong()
  } finally {
    place.remove()
  }
}

/** Directives and the front matter configure the library. Only the title of the front matter is used. */
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

/** As on the page, where `-->` stays three characters. */
const asTyped = 'font-variant-ligatures: no-common-ligatures'

/** The library measures elements in the page. Page styles must not apply to them, or the measurements would differ. */
function hiddenPlace(): HTMLElement {
  const place = document.createElement('div')
  place.setAttribute('aria-hidden', 'true')
  place.style.cssText = `all: initial; ${asTyped}; position: fixed; top: 0; left: 0; width: 800px; visibility: hidden; pointer-events: none; contain: strict`
  document.body.append(place)
  return place
}

type PictureOptions = { readonly place: HTMLElement; readonly ground: string; readonly font: string }

/** The picture has its ground, because it is also shown large and saved. */
function pictureOf(svg: string, name: string, { place, ground, font }: PictureOptions): Drawing | null {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (root.localName !== 'svg' || !(width > 0 && height > 0)) return null
  if (width > maxPictureSide || height > maxPictureSide) return tooLarge()
  root.setAttribute('width', String(width))
  root.setAttribute('height', String(height))
  root.setAttribute('style', `background: ${ground}; ${asTyped}`)
  centreStates(root)
  if (root.outerHTML.length > maxPictureChars) return tooLarge()
  const readableWidth = Math.ceil((width * minLabelPx) / smallestLabelPx(root, place))
  const fontStyle = root.ownerDocument.createElementNS('http://www.w3.org/2000/svg', 'style')
  fontStyle.textContent = font
  root.prepend(fontStyle)
  const text = new XMLSerializer().serializeToString(root)
  return {
    kind: 'drawn',
    url: `data:image/svg+xml,${encodeURIComponent(text)}`,
    width: Math.ceil(width),
    height: Math.ceil(height),
    readableWidth,
    name,
  }
}

/** Chosen: the smallest text of the page. */
const minLabelPx = 12
/** Chosen: the code can set any size, and a diagram is not enlarged for labels that are meant to be tiny. */
const minDrawnLabelPx = 8

/** The size of the smallest text of a drawing, which the library sets by rules, attributes and styles. */
function smallestLabelPx(root: Element, place: HTMLElement): number {
  const drawing = place.ownerDocument.importNode(root, true)
  place.replaceChildren(drawing)
  const sizes = [...drawing.querySelectorAll('text, tspan')].flatMap((label) =>
    label.textContent?.trim() ? [Number.parseFloat(getComputedStyle(label).fontSize)] : [],
  )
  return Math.max(minDrawnLabelPx, Math.min(...sizes, defaultLabelPx))
}

/** Without HTML labels, the name of a state starts at the left edge of its box. The label is moved by half of its width. */
function centreStates(root: Element): void {
  for (const label of root.querySelectorAll('.statediagram-state > .label')) {
    const begin = /^translate\(([-\d.]+)/.exec(label.getAttribute('transform') ?? '')?.[1]
    const name = label.querySelector('text:not([transform])')
    if (begin === undefined || !name) continue
    name.setAttribute('text-anchor', 'middle')
    name.setAttribute('transform', `translate(${-Number(begin)}, 0)`)
  }
}

/* The font of the page. An image cannot use web fonts, so those of its characters are inside it. */

const pageFont = 'Geist'

/** Rules with the fonts of these characters; empty if they cannot be loaded. The page has them then, so that the library can measure. */
async function embeddedFont(text: string): Promise<string> {
  try {
    const loaded = await document.fonts.load(`${defaultLabelPx}px ${pageFont}`, text)
    const ranges = new Set(loaded.map(({ unicodeRange }) => unicodeRange))
    const rules = fontRules().filter(({ range }) => ranges.has(range))
    const embedded = await Promise.all(
      rules.map(async ({ range, url }) => {
        const source = await fontData(url)
        return `@font-face{font-family:${pageFont};font-weight:100 900;src:url(${source}) format("woff2");unicode-range:${range}}`
      }),
    )
    return embedded.join('')
  } catch {
    return ''
  }
}

type FontRule = { readonly range: string; readonly url: string }

function fontRules(): readonly FontRule[] {
  return [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].flatMap((rule): FontRule[] => {
      if (!(rule instanceof CSSFontFaceRule) || rule.style.getPropertyValue('font-family').replaceAll('"', '') !== pageFont) return []
      const path = /url\(["']?([^"')]+)/.exec(rule.style.getPropertyValue('src'))?.[1]
      return path ? [{ range: rule.style.getPropertyValue('unicode-range'), url: new URL(path, sheet.href ?? document.baseURI).href }] : []
    }),
  )
}

const fontsByUrl = new Map<string, Promise<string>>()

/** As a `data:` address. The browser has the file already. */
function fontData(url: string): Promise<string> {
  const data = fontsByUrl.get(url) ?? readFont(url)
  fontsByUrl.set(url, data)
  data.catch(() => fontsByUrl.delete(url))
  return data
}

async function readFont(url: string): Promise<string> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The font has status ${response.status}.`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  return `data:font/woff2;base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`
}

/* The theme's colours in hex for the diagram library, which supports neither variables nor oklch. */

const roles = [
  'background',
  'surface',
  'raised',
  'muted',
  'foreground',
  'muted-foreground',
  'accent',
  'success',
  'warning',
  'danger',
] as const
type Colours = Readonly<Record<(typeof roles)[number], string>>

function coloursOfPage(): Colours {
  const probe = document.createElement('span')
  // Forced colors would make all roles equal.
  probe.style.setProperty('forced-color-adjust', 'none')
  document.body.append(probe)
  const canvas = document.createElement('canvas')
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })
  const hexOf = (role: string): string => {
    probe.style.color = `var(--${role})`
    if (!context) return '#808080'
    context.fillStyle = getComputedStyle(probe).color
    context.fillRect(0, 0, 1, 1)
    return hex([...context.getImageData(0, 0, 1, 1).data.slice(0, 3)])
  }
  const colours = Object.fromEntries(roles.map((role) => [role, hexOf(role)])) as Colours
  probe.remove()
  return colours
}

const hex = (channels: readonly number[]): string =>
  `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`

const channelsOf = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

/** `share` of the first colour, from 0 to 1, mixed into the second. */
const mixed = (first: string, second: string, share: number): string => {
  const others = channelsOf(second)
  return hex(channelsOf(first).map((channel, index) => channel * share + (others[index] ?? 0) * (1 - share)))
}

const isDark = (colour: string): boolean => channelsOf(colour).reduce((sum, channel) => sum + channel, 0) < 3 * 128

function diagramColours() {
  const page = coloursOfPage()
  const on = page.surface
  const ink = page.foreground
  const line = mixed(page['muted-foreground'], on, 0.8)
  const tints = [page.accent, page.success, page.warning, page.danger, page['muted-foreground']]
  /** Backgrounds for text: only a slight tint, so that the text stays readable. */
  const grounds = Array.from({ length: 12 }, (_, index) =>
    mixed(tints[index % tints.length] ?? ink, on, index < tints.length ? 0.24 : 0.14),
  )
  const each = (name: string, of: (ground: string, index: number) => string, first = 0) =>
    Object.fromEntries(grounds.map((ground, index) => [`${name}${index + first}`, of(ground, index)]))
  const node = mixed(page.accent, on, 0.12)
  const group = mixed(ink, on, 0.04)
  return {
    darkMode: isDark(page.background),
    background: on,
    useGradient: false,
    dropShadow: 'none',
    primaryColor: node,
    primaryTextColor: ink,
    primaryBorderColor: mixed(page.accent, on, 0.55),
    secondaryColor: group,
    secondaryTextColor: ink,
    secondaryBorderColor: line,
    tertiaryColor: group,
    tertiaryTextColor: ink,
    tertiaryBorderColor: mixed(ink, on, 0.2),
    lineColor: line,
    textColor: ink,
    titleColor: ink,
    mainBkg: node,
    edgeLabelBackground: on,
    clusterBkg: group,
    clusterBorder: mixed(ink, on, 0.2),
    noteBkgColor: mixed(page.warning, on, 0.16),
    noteTextColor: ink,
    noteBorderColor: mixed(page.warning, on, 0.5),
    activationBkgColor: mixed(page.accent, on, 0.3),
    labelBoxBkgColor: group,
    taskBkgColor: mixed(page.accent, on, 0.3),
    taskTextColor: ink,
    taskTextDarkColor: ink,
    taskTextLightColor: ink,
    taskTextOutsideColor: ink,
    activeTaskBkgColor: mixed(page.success, on, 0.3),
    doneTaskBkgColor: mixed(ink, on, 0.14),
    critBkgColor: mixed(page.danger, on, 0.3),
    critBorderColor: page.danger,
    todayLineColor: page.danger,
    gridColor: mixed(ink, on, 0.3),
    sectionBkgColor: group,
    sectionBkgColor2: group,
    altSectionBkgColor: on,
    excludeBkgColor: mixed(ink, on, 0.08),
    errorBkgColor: on,
    errorTextColor: page.danger,
    pieTitleTextColor: ink,
    pieSectionTextColor: ink,
    pieLegendTextColor: ink,
    pieStrokeColor: on,
    pieOuterStrokeColor: mixed(ink, on, 0.2),
    pieOpacity: '1',
    ...each('pie', (_, index) => mixed(tints[index % tints.length] ?? ink, on, index < tints.length ? 0.45 : 0.25), 1),
    ...each('cScale', (ground) => ground),
    ...each('cScaleLabel', () => ink),
    ...each('cScalePeer', (ground) => mixed(ink, ground, 0.3)),
    ...each('git', (_, index) => mixed(tints[index % tints.length] ?? ink, on, 0.8)),
    ...each('gitBranchLabel', () => on),
    ...each('fillType', (ground) => ground),
    commitLabelColor: ink,
    commitLabelBackground: group,
    tagLabelColor: ink,
    tagLabelBackground: group,
    tagLabelBorder: line,
    quadrant1Fill: grounds[0],
    quadrant2Fill: grounds[1],
    quadrant3Fill: grounds[2],
    quadrant4Fill: grounds[4],
    quadrantPointFill: page.accent,
    quadrantPointTextFill: ink,
    xyChart: {
      backgroundColor: on,
      titleColor: ink,
      xAxisLabelColor: ink,
      xAxisTitleColor: ink,
      xAxisTickColor: line,
      xAxisLineColor: line,
      yAxisLabelColor: ink,
      yAxisTitleColor: ink,
      yAxisTickColor: line,
      yAxisLineColor: line,
      plotColorPalette: tints.join(','),
    },
  }
}

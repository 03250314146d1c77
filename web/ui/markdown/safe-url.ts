/**
 * URLs that an answer may put on the page. Text that a model has read can control its answer, so an answer must not cause a request: images
 * from other hosts and other addresses of this product become links. Links open in a new tab, send no referrer and use only http, https or
 * mailto.
 */

/** Null for everything except plain web and mail addresses. */
export const safeHref = (url: string | undefined): string | null => {
  if (!url) return null
  // Characters that the browser strips before parsing must not hide a scheme.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
  const plain = url.replace(/[\u0000-\u0020\u007f-\u009f]/g, '')
  if (!/^(?:https?:\/\/|mailto:)/i.test(plain)) return null
  try {
    return new URL(plain).href
  } catch {
    // Not a valid address.
    return null
  }
}

/** Footnote anchors within the answer. */
export const isFootnoteAnchor = (url: string | undefined): url is string => /^#user-content-fn(?:ref)?-/.test(url ?? '')

/**
 * Images that the browser may load without a click: a stored file of the user, or a `data:` image. No other address of this product: a GET
 * can have effects.
 */
export const isOwnImage = (url: string): boolean =>
  /^\/api\/files\/[\w-]+(?:\/thumbnail)?$/.test(url) || /^data:image\/(?:png|jpeg|gif|webp|avif);base64,/i.test(url)

/** Node data of a diagram, with keys that load nothing. Mermaid reads the data as YAML, so a key such as `img` has many spellings. */
const [key, value] = [
  '(?:shape|label|labelType|form|pos|constraint|w|h|animate|animation|curve|type|alias)',
  String.raw`(?:"[^"\\]*"|[\p{L}\p{N}_.-]+(?: [\p{L}\p{N}_.-]+)*)`,
]
const pair = String.raw`(?:${key}|"${key}")[ \t]*:[ \t]*${value}`
const harmlessData = new RegExp(String.raw`@\{\s*(?:${pair}(?:[ \t]*[,\n][\s,]*${pair})*)?[\s,]*\}`, 'gu')

/**
 * True for a Mermaid diagram that can name a file to load: an image of a node, an icon of an actor, or a style with `url()`. The library would
 * load it while it draws. Links are allowed: a drawn diagram is an image, which has none.
 */
export const diagramNamesAddress = (code: string): boolean =>
  /url\s*\(|@import|image-set|\b(?:img|image|sprite)\s*[:=]|<\s*(?:img|image|svg|iframe|object|embed|link|style|script|video|audio|use)\b/i.test(
    code,
  ) ||
  code.replace(harmlessData, '').includes('@{') ||
  // `properties` sets the icon of an actor; `details` reads properties from an element of the page.
  (code.startsWith('sequenceDiagram') && /(?:^|;)[^:;\n]*\b(?:properties|details)\b[^:;\n]*:/im.test(code)) ||
  // CSS escapes can spell `url`.
  /(?:^|;)\s*(?:style|classDef|linkStyle|cssClass)\b[^\n]*(?:\\|\/\*|[{}@])/im.test(code)

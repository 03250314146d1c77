/**
 * Which addresses an answer may put on the page. An answer can be steered by what the model has read, so it may name a
 * place but never make the browser go there by itself: images from other hosts become links, and links open elsewhere,
 * tell nobody where they were found, and speak only http, https or mailto.
 */

/** Null for everything that is not plainly a web or mail address. */
export const safeHref = (url: string | undefined): string | null => {
  if (!url) return null
  // What the browser strips before it parses must not hide a scheme from us.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
  const plain = url.replace(/[\u0000-\u0020\u007f-\u009f]/g, '')
  if (!/^(?:https?:\/\/|mailto:)/i.test(plain)) return null
  try {
    return new URL(plain).href
  } catch {
    // Not an address after all, whatever it begins with.
    return null
  }
}

/** A footnote's own anchors, which stay inside the answer. */
export const isFootnoteAnchor = (url: string | undefined): url is string => /^#user-content-fn(?:ref)?-/.test(url ?? '')

/** Images that cost no request to a stranger: ours, and those that carry their own bytes. */
export const isOwnImage = (url: string): boolean => /^\/(?![/\\])/.test(url) || /^data:image\/(?:png|jpeg|gif|webp|avif);base64,/i.test(url)

/**
 * A page's bytes as UTF-8. Which charset they are in says a mark before them, else the server's header, else the page itself in its first
 * bytes, as browsers have it; where nobody says, or says what nobody knows, it is UTF-8.
 */

/** By the HTML standard: what a page says of its charset stands within these. */
const saidWithinBytes = 1024

/** Bytes before a text that tell its charset. */
const marks = [
  { charset: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { charset: 'utf-16be', bytes: [0xfe, 0xff] },
  { charset: 'utf-16le', bytes: [0xff, 0xfe] },
] as const

/** `contentType`: the server's header. */
export function asUtf8(contentType: string): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new TextEncoder()
  let decoder: TextDecoder | null = null
  let head = new Uint8Array()
  const send = (text: string, controller: TransformStreamDefaultController<Uint8Array>): void => {
    if (text !== '') controller.enqueue(encoder.encode(text))
  }
  return new TransformStream({
    transform(chunk, controller) {
      if (decoder) return send(decoder.decode(chunk, { stream: true }), controller)
      head = joined(head, chunk)
      if (head.byteLength < saidWithinBytes) return
      decoder = decoderFor(head, contentType)
      send(decoder.decode(head, { stream: true }), controller)
    },
    flush(controller) {
      send(decoder ? decoder.decode() : decoderFor(head, contentType).decode(head), controller)
    },
  })
}

function decoderFor(head: Uint8Array, contentType: string): TextDecoder {
  const mark = marks.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte))
  const said = mark ? mark.charset : /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1]
  return decoderOf(said) ?? decoderOf(ofItself(head, contentType)) ?? new TextDecoder()
}

/** Null for a name that the platform does not know. */
function decoderOf(charset: string | undefined): TextDecoder | null {
  if (charset === undefined) return null
  try {
    return new TextDecoder(charset)
  } catch {
    // A RangeError: there is no other way to ask.
    return null
  }
}

/** What the page says in letters of one byte; it is then in no charset of two. */
function ofItself(head: Uint8Array, contentType: string): string | undefined {
  const text = new TextDecoder('latin1').decode(head.subarray(0, saidWithinBytes))
  const inXml = /^<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)/i.exec(text)
  const inHtml = /html/i.test(contentType)
    ? /<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(text.replace(/<!--.*?-->/gs, ''))
    : null
  const said = (inXml ?? inHtml)?.[1]
  return said && /^utf-?16/i.test(said) ? 'utf-8' : said
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.byteLength + second.byteLength)
  whole.set(first)
  whole.set(second, first.byteLength)
  return whole
}

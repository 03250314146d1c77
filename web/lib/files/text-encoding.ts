/**
 * Finds the encoding of a text file. Models and the server read UTF-8 only. Loaded with the first file that is not plain UTF-8, because it
 * contains the detector.
 */
import { analyse } from 'chardet'

/** `encoding`: the name of the encoding that the text was converted from; null for UTF-8. */
type DecodedText = { readonly text: string; readonly encoding: string | null }

/** Null for a binary file. `languages`: those of the user, which decide between encodings that fit equally well. */
export function decodeText(bytes: Uint8Array, languages: readonly string[]): DecodedText | null {
  const marked = markedEncoding(bytes)
  if (marked !== null) return decodedAs(bytes, marked)
  if (bytes.includes(0)) {
    const encoding = utf16Without(bytes)
    return encoding === null ? null : decodedAs(bytes, encoding)
  }
  const utf8 = decodedAs(bytes, 'utf-8')
  // Its bytes are all ASCII.
  if (utf8?.text.includes('\u{1b}$')) return decodedAs(bytes, 'iso-2022-jp') ?? utf8
  if (utf8) return utf8
  const repaired = repairedUtf8(bytes)
  if (repaired !== null) return { text: repaired, encoding: 'UTF-8' }
  // Only the whole file shows whether it is valid.
  for (const encoding of likely(bytes, languages)) {
    const decoded = decodedAs(bytes, encoding)
    if (decoded) return decoded
  }
  return null
}

function decodedAs(bytes: Uint8Array, encoding: string): DecodedText | null {
  const text = decode(bytes, encoding)
  if (text === null || controls.test(text)) return null
  return { text, encoding: encoding === 'utf-8' ? null : displayName(encoding) }
}

/** A text in UTF-8 with a few damaged characters, such as a log that is cut. Chosen: at most one in three characters beyond ASCII is damaged. */
function repairedUtf8(bytes: Uint8Array): string | null {
  const text = new TextDecoder().decode(bytes)
  const damaged = text.match(/\ufffd/g)?.length ?? 0
  const whole = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0
  return whole < 2 * damaged || controls.test(text) ? null : text
}

/** Without its byte order mark. Null if the bytes are invalid. `isCut`: the bytes may end within a character. */
function decode(bytes: Uint8Array, encoding: string, isCut = false): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return null
  }
}

/** Characters that no text file contains. Escape begins the colours of terminal logs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a binary file has
const controls = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

const markedEncoding = ([first, second, third]: Uint8Array): string | null => {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/**
 * UTF-16 without a byte order mark. Line ends, spaces and Latin letters have a zero byte, always in the same half of the unit. Chosen: one zero
 * byte in ten may be in the other half, as in some characters of other scripts.
 */
function utf16Without(bytes: Uint8Array): string | null {
  const zeros = [0, 0]
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  if (bytes.length % 2 !== 0 || Math.min(even, odd) * 10 > Math.max(even, odd)) return null
  return odd > even ? 'utf-16le' : 'utf-16be'
}

/** Chosen: more text does not make the detection better. */
const sampleBytes = 64 * 1024
/** Chosen, in points of the detector's confidence, which is at most 100. */
const languageBonus = 30
const oddPenalty = 120

/** The encodings that give a text, the most probable first. */
function likely(bytes: Uint8Array, languages: readonly string[]): readonly string[] {
  const first = Math.max(0, bytes.findIndex((byte) => byte >= 0x80) - 1024)
  const sample = bytes.subarray(first, first + sampleBytes)
  const expected = languages.flatMap((language) => encodingsOf.find(([pattern]) => pattern.test(language))?.[1] ?? ['windows-1252'])
  const confidence = new Map<string, number>()
  for (const { name, confidence: points } of analyse(sample))
    for (const encoding of [name, ...(relatives[name] ?? [])])
      confidence.set(labelOf(encoding), Math.max(points, confidence.get(labelOf(encoding)) ?? 0))
  const candidates = [...new Set([...confidence.keys(), ...expected, 'windows-1252'])].flatMap((encoding) => {
    const text = decode(sample, encoding, true)
    if (text === null || unassigned.test(text)) return []
    const bonus = expected.includes(encoding) ? languageBonus : 0
    return [{ encoding, points: (confidence.get(encoding) ?? 0) + bonus - oddPenalty * oddShare(text) }]
  })
  return candidates.toSorted((a, b) => b.points - a.points).map(({ encoding }) => encoding)
}

/** The platform's name. It reads ISO-8859-1 as Windows-1252, as Excel writes it. Empty for an encoding that the platform does not know. */
function labelOf(name: string): string {
  try {
    return new TextDecoder(name).encoding
  } catch {
    return ''
  }
}

/** Encodings that the detector does not tell apart. */
const relatives: Readonly<Record<string, readonly string[]>> = {
  'ISO-8859-2': ['windows-1250'],
  'windows-1250': ['ISO-8859-2'],
  'ISO-8859-5': ['windows-1251'],
  'ISO-8859-7': ['windows-1253'],
  'ISO-8859-8': ['windows-1255'],
  'ISO-8859-6': ['windows-1256'],
}

/** What programs of each language write when they do not write UTF-8. */
const encodingsOf: readonly (readonly [language: RegExp, encodings: readonly string[]])[] = [
  [/^ja\b/i, ['shift_jis', 'euc-jp']],
  [/^zh-(?:hant|tw|hk|mo)\b/i, ['big5']],
  [/^zh\b/i, ['gb18030']],
  [/^ko\b/i, ['euc-kr']],
  [/^(?:ru|uk|bg|be|mk|sr)\b/i, ['windows-1251', 'koi8-r']],
  [/^(?:pl|cs|sk|hu|hr|sl|ro|bs|sq)\b/i, ['windows-1250', 'iso-8859-2']],
  [/^el\b/i, ['windows-1253']],
  [/^tr\b/i, ['windows-1254']],
  [/^he\b/i, ['windows-1255']],
  [/^(?:ar|fa|ur)\b/i, ['windows-1256']],
  [/^(?:et|lv|lt)\b/i, ['windows-1257']],
  [/^vi\b/i, ['windows-1258']],
  [/^th\b/i, ['windows-874']],
]

/** C1 controls and private characters, which a wrong encoding gives. */
const unassigned = /[\u0080-\u009f\ue000-\uf8ff\ufffd]/u

/**
 * Signs of a wrong encoding: a letter next to one of another script, a capital after a small letter, a symbol or a line within a word, half-width
 * katakana next to other East Asian letters, words of accented letters alone. As the share of the characters beyond ASCII.
 */
function oddShare(text: string): number {
  const foreign = text.match(/[^\0-\x7f]/gu)?.length ?? 0
  const accented = text.match(accentedTriples)?.length ?? 0
  const signs = (text.match(odd)?.length ?? 0) + (accented < minAccentedTriples ? 0 : accented)
  return foreign === 0 ? 0 : Math.min(1, signs / foreign)
}
const accentedTriples = /[À-ÖØ-öø-ÿ](?=[À-ÖØ-öø-ÿ]{2})/g
/** Chosen: a list of umlauts has fewer. */
const minAccentedTriples = 4
const scripts = ['Latin', 'Greek', 'Cyrillic', 'Hebrew', 'Arabic', 'Thai'].map((name) => `\\p{Script=${name}}`)
const eastAsian = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}'
const mixed = [...scripts, eastAsian].map((script) => `[${script}](?=(?![${script}])\\p{L})`)
const odd = new RegExp(
  [
    ...mixed,
    '\\p{Ll}(?=(?![A-Z])\\p{Lu})',
    '\\p{L}[¡-©«-±´-¹»-¿×÷†‡‰‹›─-▟]+(?=\\p{L})',
    '[｡-ﾟ](?=[\\p{Script=Han}ぁ-ヿ])|[\\p{Script=Han}ぁ-ヿ](?=[｡-ﾟ])',
    '[¡-¿×÷─-▟](?=[¡-¿×÷]|\\p{L})',
  ].join('|'),
  'gu',
)

const displayName = (encoding: string): string =>
  names[encoding] ?? (encoding.startsWith('windows') ? `W${encoding.slice(1)}` : encoding.toUpperCase())
const names: Readonly<Record<string, string>> = { shift_jis: 'Shift_JIS', big5: 'Big5' }

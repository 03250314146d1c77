// Text files in the encodings of Excel, editors and old programs. The bytes are made by inverting the platform's decoder.
import { describe, expect, test } from 'vitest'
import { decodeText } from '../../../../../web/lib/files/text-encoding.ts'

/** The bytes of each character, in encodings of one or two bytes. */
function encoderOf(encoding: string): (text: string) => Uint8Array {
  const bytesOf = new Map<string, readonly number[]>()
  const decoder = new TextDecoder(encoding, { fatal: true })
  const add = (bytes: readonly number[]) => {
    try {
      const character = decoder.decode(Uint8Array.from(bytes))
      if ([...character].length === 1 && !bytesOf.has(character)) bytesOf.set(character, bytes)
    } catch {
      // Not a character of this encoding.
    }
  }
  for (let byte = 0; byte < 256; byte += 1) add([byte])
  for (let lead = 0x81; lead < 255; lead += 1) for (let trail = 0x40; trail < 255; trail += 1) add([lead, trail])
  return (text) =>
    Uint8Array.from(
      [...text].flatMap((character) => {
        const bytes = bytesOf.get(character)
        if (!bytes) throw new Error(`${encoding} has no ${character}`)
        return [...bytes]
      }),
    )
}

const utf16 = (text: string, { isBig = false, hasMark = true } = {}): Uint8Array => {
  const bytes = Buffer.from(`${hasMark ? '\ufeff' : ''}${text}`, 'utf16le')
  return new Uint8Array(isBig ? bytes.swap16() : bytes)
}

const table = 'Keyword\tVolume\r\nblaue Schuhe\t1200\r\nMünchen – 5 €\t7\r\n'

describe('UTF', () => {
  test.each([
    ['UTF-16LE', utf16(table)],
    ['UTF-16BE', utf16(table, { isBig: true })],
    ['UTF-16LE', utf16(table, { hasMark: false })],
    ['UTF-16BE', utf16(table, { isBig: true, hasMark: false })],
  ])('%s is converted, with and without a byte order mark', (encoding, bytes) => {
    expect(decodeText(bytes, ['en'])).toEqual({ text: table, encoding })
  })

  test.each(['名前\r\n田中 30\r\n', 'Привет, мир\n', 'שלום 5\n', '🎈 ok\n'])('UTF-16 without a mark, in other scripts: %s', (text) => {
    expect(decodeText(utf16(text, { hasMark: false }), ['de'])).toEqual({ text, encoding: 'UTF-16LE' })
    expect(decodeText(utf16(text, { hasMark: false, isBig: true }), ['de'])).toEqual({ text, encoding: 'UTF-16BE' })
  })

  test('UTF-8 stays as it is, without its byte order mark', () => {
    expect(decodeText(new TextEncoder().encode(`\ufeff${table}`), ['en'])).toEqual({ text: table, encoding: null })
    expect(decodeText(new TextEncoder().encode('naïve 名前 🎈'), ['en'])).toEqual({ text: 'naïve 名前 🎈', encoding: null })
    expect(decodeText(new TextEncoder().encode('\u{1b}[31mred\u{1b}[0m'), ['ja'])?.encoding).toBeNull()
  })
})

test('UTF-8 with a cut or a damaged character stays UTF-8', () => {
  const bytes = new TextEncoder().encode('Größe;Länge;Höhe;Übermaß;Gewicht 5 €')
  const { length } = bytes
  expect(decodeText(bytes.subarray(0, length - 1), ['de'])?.text).toBe('Größe;Länge;Höhe;Übermaß;Gewicht 5 \ufffd')
  expect(decodeText(bytes.with(4, 0xff), ['ja'])?.text).toContain('Länge;Höhe;Übermaß;Gewicht 5 €')
})

/** Encoding, the languages of its users, and short texts as well as sentences. */
const samples: readonly (readonly [encoding: string, language: string, texts: readonly string[]])[] = [
  [
    'Windows-1252',
    'de',
    ['Stadt;Umsatz\r\nMünchen;12 €\r\nKöln;9 €\r\n', 'Größe', 'Ärger über Öl', 'name;preis\nJürgen;5', 'STRASSE;GRÖSSE\nÜBERALL;1'],
  ],
  ['Windows-1252', 'fr-CA', ['Résumé;déjà vu;naïve', 'L’été à la plage coûte 5 €', 'Prénom;Âge\nÉloïse;30']],
  ['Windows-1252', 'es', ['año;niño;España\n', '¿Qué tal? ¡Bien!', 'Precio (€)\n5']],
  ['Windows-1252', 'sv', ['Namn;Ålder\nBjörn;30\n', 'räksmörgås']],
  ['Windows-1252', 'en', ['“quoted” – it’s £5', 'café;naïve', 'temperature 21 °C ± 0.5']],
  ['Windows-1252', 'pt-BR', ['ação;coração;não\n', 'Código;Descrição\n1;Maçã']],
  ['Shift_JIS', 'ja', ['株式会社カタカナ,ﾊﾝｶｸ\n', '名前,年齢\n田中,30\n', '東京', 'これは日本語のテキストです。']],
  ['EUC-JP', 'ja', ['名前,年齢\n田中さん,30\n', 'これは日本語のテキストです。']],
  ['GB18030', 'zh-CN', ['姓名,年龄\n张三,30\n', '你好世界', '这是一个测试文件，包含中文。']],
  ['Big5', 'zh-TW', ['姓名,年齡\n張三,30\n', '這是一個測試檔案，包含中文。']],
  ['EUC-KR', 'ko-KR', ['이름,나이\n김철수,30\n', '안녕하세요 세계']],
  ['Windows-1251', 'ru', ['Имя;Возраст\nИван;30\n', 'Привет, мир', 'ГОРОД;ЦЕНА\nМОСКВА;5']],
  ['KOI8-R', 'ru', ['Привет, мир, как дела сегодня у всех на работе']],
  ['Windows-1250', 'cs', ['Příliš žluťoučký kůň', 'Město;Cena\nPlzeň;5\nŠumperk;7']],
  ['Windows-1250', 'pl', ['Imię;Wiek\nŚcibor;30\nŻaneta;5']],
  ['ISO-8859-2', 'pl', ['Zażółć gęślą jaźń', 'Miasto;Cena\nŚląsk;5\nGdańsk;6']],
  ['Windows-1254', 'tr', ['İsim;Yaş\nIşık;30', 'Türkçe şğı']],
  ['Windows-1253', 'el', ['Όνομα;Ηλικία\nΓιώργος;30']],
  ['Windows-1255', 'he', ['שם;גיל\nדוד;30']],
  ['Windows-1256', 'ar', ['الاسم;العمر\nمحمد;30']],
  ['Windows-874', 'th', ['ชื่อ,อายุ\nสมชาย,30']],
  ['Windows-1257', 'lv', ['Vārds;Vecums\nJānis;30']],
]

describe.each(samples)('%s of a user with %s', (encoding, language, texts) => {
  const encode = encoderOf(encoding)
  test.each(texts)('%s', (text) => {
    expect(decodeText(encode(text), [language])?.text).toBe(text)
  })
})

test.each(['Windows-1252', 'Shift_JIS', 'EUC-JP', 'GB18030', 'Big5', 'Windows-1251'])(
  'a longer %s is found whatever the language',
  (encoding) => {
    const text: Readonly<Record<string, string>> = {
      'Windows-1252': 'Straße;Größe\r\nDie Häuser über den Flüssen gehören den Müllers; ähnlich in Österreich für 5 €.\r\n'.repeat(3),
      Shift_JIS: 'これは日本語のテキストです。とても長い文章ではありません。\r\n'.repeat(3),
      'EUC-JP': 'これは日本語のテキストです。とても長い文章ではありません。\r\n'.repeat(3),
      GB18030: '这是一个测试文件，包含中文。我们在这里写一些常用的句子。\r\n'.repeat(3),
      Big5: '這是一個測試檔案，包含中文。我們在這裡寫一些常用的句子。\r\n'.repeat(3),
      'Windows-1251': 'Это русский текст. Мы пишем здесь обычные предложения для проверки.\r\n'.repeat(3),
    }
    for (const language of ['en', 'de', 'ja', 'zh-CN', 'ru', 'tr'])
      expect(decodeText(encoderOf(encoding)(text[encoding] ?? ''), [language])).toEqual({ text: text[encoding], encoding })
  },
)

test.each([
  ['a zip', [0x50, 0x4b, 3, 4, 0x14, 0, 0, 0, 8, 0, 0x7f, 0xff]],
  ['a program', [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 3, 0, 0x3e, 0]],
  ['random bytes', Array.from({ length: 999 }, (_, index) => (index * 7919 + (index >> 3) * 31) % 256)],
  ['a sound', [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0x23]],
  ['bytes without zero', Array.from({ length: 400 }, (_, index) => 1 + ((index * 37) % 255))],
  ['UTF-16 that is cut', [0xff, 0xfe, 0x41, 0, 0x42]],
  ['UTF-32', [0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]],
])('%s is no text', (_kind, bytes) => {
  expect(decodeText(Uint8Array.from(bytes), ['en'])).toBeNull()
})

test.each([
  ['Windows-1251', 'de', 'Товар;Цена\nЯблоки;5 руб.\n'],
  ['Windows-1252', 'ja', 'Stadt;Umsatz\r\nMünchen;12 €\r\nKöln;9 €\r\n'],
  ['Windows-1252', 'zh-CN', 'Stadt;Umsatz\r\nMünchen;12 €\r\nKöln;9 €\r\n'],
  ['Windows-1252', 'ru', 'Stadt;Umsatz\r\nMünchen;12 €\r\nKöln;9 €\r\n'],
  ['Windows-1252', 'de', 'äöüß ÄÖÜ'],
])('%s is found although the user has %s: %s', (encoding, language, text) => {
  expect(decodeText(encoderOf(encoding)(text), [language])?.text).toBe(text)
})

// A page is read in its own charset: what its first bytes mark, else what its server says, else what it says of itself.
import { expect, test } from 'vitest'
import { readableText } from '../../worker/chat/tools/readable-text.ts'

/** One byte a letter, as ISO 8859-1 has them. */
const bytes = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0))
const utf16 = (text: string, isBig: boolean): number[] => bytes(text).flatMap((low) => (isBig ? [0, low] : [low, 0]))
const tesuto = [0x83, 0x65, 0x83, 0x58, 0x83, 0x67]
const privet = [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]

/** Every byte on its own, or all at once. */
const pageOf = (page: readonly number[], isDrip: boolean): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      if (isDrip) for (const byte of page) controller.enqueue(Uint8Array.of(byte))
      else controller.enqueue(Uint8Array.from(page))
      controller.close()
    },
  })

const read = async (page: readonly number[], type: string, isDrip = false) =>
  readableText({
    url: 'https://page.org/',
    mediaType: type.split(';')[0] ?? '',
    body: new Response(pageOf(page, isDrip), { headers: { 'content-type': type } }),
    wasCut: () => false,
  })

const pages: readonly (readonly [string, string, readonly number[], string])[] = [
  ['ISO 8859-1 by its header', 'text/html; charset=iso-8859-1', bytes('<p>M\xfcnchen'), 'München'],
  ['ISO 8859-1 by itself', 'text/html', bytes('<meta charset=iso-8859-1><p>M\xfcnchen'), 'München'],
  ['Shift_JIS by its header', 'text/html;charset="Shift_JIS"', [...bytes('<p>'), ...tesuto], 'テスト'],
  [
    'Shift_JIS by itself, in the older way',
    'text/html',
    [...bytes('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><p>'), ...tesuto],
    'テスト',
  ],
  ['windows-1251, as plain text', 'text/plain; charset=windows-1251', privet, 'Привет'],
  ['ISO 8859-1 as XML says it', 'application/xml', bytes('<?xml version="1.0" encoding="ISO-8859-1"?>M\xfcnchen'), 'München'],
  ['UTF-16 by its header', 'text/html; charset=utf-16le', utf16('<p>M\xfcnchen', false), 'München'],
  ['UTF-16 by its first bytes', 'text/html', [0xff, 0xfe, ...utf16('<p>M\xfcnchen', false)], 'München'],
  ['UTF-16 the other way round', 'text/plain', [0xfe, 0xff, ...utf16('M\xfcnchen', true)], 'München'],
  [
    'UTF-8 by its first bytes, whatever its header says',
    'text/html; charset=iso-8859-1',
    [0xef, 0xbb, 0xbf, ...bytes('<p>M\xc3\xbcnchen')],
    'München',
  ],
  ['its header’s, whatever it says itself', 'text/html; charset=utf-8', bytes('<meta charset=iso-8859-1><p>M\xc3\xbcnchen'), 'München'],
  [
    'what it says itself, where its header’s is none',
    'text/html; charset=none',
    bytes('<meta charset=iso-8859-1><p>M\xfcnchen'),
    'München',
  ],
  ['UTF-8 where nobody says', 'text/html', bytes('<p>M\xc3\xbcnchen'), 'München'],
  ['UTF-8 where nobody knows what was said', 'text/html; charset=bogus', bytes('<meta charset=bogus><p>M\xc3\xbcnchen'), 'München'],
  ['UTF-8 where only a remark says', 'text/html', bytes('<!-- <meta charset=iso-8859-1> --><p>M\xc3\xbcnchen'), 'München'],
  ['UTF-8 where it says UTF-16 in letters of one byte', 'text/html', bytes('<meta charset=utf-16><p>M\xc3\xbcnchen'), 'München'],
  [
    'UTF-8 where it says it too late',
    'text/html',
    bytes(`<!--${' '.repeat(1024)}--><meta charset=iso-8859-1><p>M\xc3\xbcnchen`),
    'München',
  ],
]

test.each(pages)('in %s', async (_name, type, page, text) => {
  expect((await read(page, type)).text).toContain(text)
  expect((await read(page, type, true)).text).toContain(text)
})

test('what its charset does not know is a sign that says so', async () => {
  expect((await read(bytes('<p>M\xfcnchen'), 'text/html')).text).toBe('M\ufffdnchen')
  expect((await read([0xe3, 0x81], 'text/plain')).text).toBe('\ufffd')
})

import { describe, expect, test } from 'vitest'
import { typeOf } from '../../../worker/contract/files/file-signature.ts'
import { cleanFileName, filePart, fileRefusal, filesArg, filesOf, parseFiles } from '../../../worker/contract/files/files.ts'
import { maxFileNameChars } from '../../../worker/contract/limits.ts'

describe('a name', () => {
  test.each([
    ['cat.png', 'cat.png'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\notes.txt', 'notes.txt'],
    ['exe\u202egnp.txt', 'exegnp.txt'],
    ['a\u0000b\r\nc.txt', 'abc.txt'],
    ['  .hidden.  ', 'hidden'],
    ['\u200b\u2028', 'file'],
    ['..', 'file'],
    ['', 'file'],
    ['lone \ud800 half.md', 'lone half.md'],
    ['日本語 مستند.pdf', '日本語 مستند.pdf'],
    ['e\u0301.txt', '\u00e9.txt'],
  ])('%j becomes %j', (name, clean) => expect(cleanFileName(name)).toBe(clean))

  test('a very long name of dots is trimmed in linear time', () => {
    expect(cleanFileName(`a${'.'.repeat(400_000)}b`)).toHaveLength(120)
  })

  test('a long name is truncated at a code point boundary and keeps its extension', () => {
    const clean = cleanFileName(`${'😀'.repeat(200)}.pdf`)
    expect(clean.length).toBeLessThanOrEqual(maxFileNameChars)
    expect(clean).toMatch(/😀….pdf$/u)
    expect(clean.isWellFormed()).toBe(true)
  })
})

test('the type is detected from the first bytes', () => {
  const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
  expect(typeOf(bytes('\x89PNG\r\n\x1a\n...'))).toBe('image/png')
  expect(typeOf(bytes('\x89PNG\r\n\x1a'))).toBe('text/plain')
  expect(typeOf(bytes('RIFFxxxxWAVE'))).toBe('text/plain')
  expect(typeOf(bytes('RIFF\0xxxWAVE'))).toBeNull()
  // PDF readers skip white space before the header.
  expect(typeOf(bytes('\r\n %PDF-1.7'))).toBe('application/pdf')
  expect(typeOf(bytes('\xef\xbb\xbf%PDF-1.7'))).toBe('application/pdf')
  expect(typeOf(bytes('A %PDF-1.7'))).toBe('text/plain')
  expect(typeOf(bytes(' '.repeat(600)))).toBe('text/plain')
  expect(typeOf(new Uint8Array())).toBe('text/plain')
})

const picture = { id: 'file-one-two', name: 'cat.png', mediaType: 'image/png', sizeBytes: 7 } as const
const paper = { id: 'file-two-two', name: 'a.pdf', mediaType: 'application/pdf', sizeBytes: 7 } as const
const notes = { id: 'file-six-two', name: 'a.txt', mediaType: 'text/plain', sizeBytes: 7 } as const

test('files that a model cannot read are refused by type; text never', () => {
  expect(fileRefusal({ capabilities: ['vision'] }, [picture, notes])).toBeNull()
  expect(fileRefusal({ capabilities: ['vision'] }, [picture, paper])?.code).toBe('documents_unsupported')
  expect(fileRefusal({ capabilities: null }, [picture])?.code).toBe('images_unsupported')
  expect(fileRefusal({ capabilities: null }, [notes])).toBeNull()
})

test('the files of a message are those stored in the product', () => {
  const foreign = { type: 'file', mediaType: 'image/png', url: 'https://elsewhere.test/api/files/x' } as const
  expect(filesOf({ parts: [filePart(picture), { type: 'text', text: '/api/files/x' }, foreign, filePart(notes)] })).toEqual([
    picture,
    notes,
  ])
})

test('stored drafts are accepted completely or not at all', () => {
  expect(parseFiles([picture])).toEqual([picture])
  for (const broken of [null, 'x', [{ ...picture, id: '../x' }], [{ ...picture, sizeBytes: 0 }], [picture, 7]])
    expect(parseFiles(broken)).toEqual([])
})

test('a message contains a file once', () => {
  expect(filesArg.safeParse([picture, paper]).success).toBe(true)
  expect(filesArg.safeParse([picture, paper, { ...picture, name: 'dog.png' }]).success).toBe(false)
})

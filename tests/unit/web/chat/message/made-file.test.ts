import { describe, expect, test } from 'vitest'
import { copiedText } from '../../../../../web/features/chat/message/copy-messages.ts'
import { madeFile } from '../../../../../web/features/chat/message/made-files.tsx'
import { segmentsOf } from '../../../../../web/features/chat/message/segments.ts'
import type { AnswerMessage, FilePart, MessagePart } from '../../../../../worker/contract/threads/messages.ts'

const file = (url: string, mediaType = 'image/png'): FilePart => ({ type: 'file', mediaType, url })
const png = 'data:image/png;base64,iVBORw0KGgo='

const stored: FilePart = { ...file('/api/files/picture-of-the-sea'), filename: 'Picture 1.png', sizeBytes: 9 }

describe('a generated file', () => {
  test('in file storage has the type detected from its bytes, and a picture is shown as the model made it', () => {
    expect(madeFile(stored, 3)).toEqual({ kind: 'picture', name: 'Picture 1.png', url: `${stored.url}/original` })
    const asText: FilePart = { ...stored, mediaType: 'text/plain', filename: 'File 1.html' }
    expect(madeFile(asText, 1)).toEqual({ kind: 'download', name: 'File 1.html', url: stored.url, type: 'HTML', sizeBytes: 9 })
  })

  test('is recognised in any letter case of its address', () => {
    expect(madeFile(file('DATA:IMAGE/PNG;BASE64,AAAA'), 1)).toMatchObject({ kind: 'picture', name: 'Picture 1.png' })
    expect(madeFile(file('HTTPS://FILES.EXAMPLE/a.png'), 1)).toMatchObject({ kind: 'elsewhere', url: 'https://files.example/a.png' })
    for (const url of [
      'JAVASCRIPT:alert(1)',
      ' javascript:alert(1)',
      'DATA:TEXT/HTML,<script>',
      '//files.example/a.png',
      '/API/FILES/aaaaaaaa',
      '/api/files/../auth/sign-out',
    ])
      expect(madeFile(file(url), 1), url).toMatchObject({ kind: 'unknown' })
  })

  test.each(['png', 'jpeg', 'gif', 'webp'])('is a picture as %s', (type) => {
    const url = `data:image/${type};base64,AAAA`
    expect(madeFile(file(url), 2)).toEqual({ kind: 'picture', name: `Picture 2.${type === 'jpeg' ? 'jpg' : type}`, url })
  })

  // The media type of the provider is ignored: all of these are declared as PNG.
  test.each([
    ['data:image/svg+xml;base64,PHN2Zz4=', 'File 1.svg', 'SVG'],
    ['data:text/html;base64,PGI+aGk=', 'File 1.html', 'HTML'],
    ['data:text/html;charset=utf-8;base64,PGI+aGk=', 'File 1.html', 'HTML'],
    ['data:IMAGE/SVG+XML;base64,PHN2Zz4=', 'File 1.svg', 'SVG'],
    ['data:image/png;base64,', 'File 1.png', 'PNG'],
    ['data:application/pdf;base64,JVBERi0=', 'File 1.pdf', 'PDF'],
    ['data:application/vnd.oasis.opendocument;base64,JVBERi0=', 'File 1.bin', 'BIN'],
  ])('can only be downloaded: %s', (url, name, type) => {
    expect(madeFile(file(url), 1)).toMatchObject({ kind: 'download', name, url, type })
  })

  test('stored by the provider is a link with a safe address', () => {
    expect(madeFile(file('https://files.example/a.png'), 1)).toMatchObject({ kind: 'elsewhere', host: 'files.example' })
    for (const url of ['javascript:alert(1)', 'http://files.example/a.png', 'data:image/png,raw', '/api/files/x', ''])
      expect(madeFile(file(url), 1), url).toEqual({ kind: 'unknown', name: 'File 1' })
  })
})

test('adjacent files stay together at their position, numbered through the answer', () => {
  const parts: MessagePart[] = [file(png), file(png), { type: 'text', text: 'and', state: 'done' }, file(png)]
  expect(segmentsOf(parts).map((segment) => (segment.kind === 'files' ? segment.files.map(({ name }) => name) : segment.kind))).toEqual([
    ['Picture 1.png', 'Picture 2.png'],
    'text',
    ['Picture 3.png'],
  ])
})

describe('the clipboard text of an answer', () => {
  const answer = (parts: readonly MessagePart[]) => ({ id: 'a', role: 'assistant', parts, metadata: {} }) as unknown as AnswerMessage
  const copied = (...parts: readonly MessagePart[]) => copiedText(answer(parts), 'https://chat.example')
  const sea: MessagePart = { type: 'text', text: 'The sea.' }

  test('names its pictures in place, with an address if they have one', () => {
    expect(copied(sea, stored, { type: 'text', text: 'And calm.' }, stored)).toBe(
      'The sea.\n\n![Picture 1.png](https://chat.example/api/files/picture-of-the-sea/original)\n\nAnd calm.\n\n![Picture 1.png](https://chat.example/api/files/picture-of-the-sea/original)',
    )
    expect(copied(file('https://files.example/a.png'))).toBe('[File 1](https://files.example/a.png)')
  })

  test('never contains their bytes', () => {
    expect(copied(file(png))).toBe('[Picture 1.png]')
    expect(copied(sea, file(png.replace('data:', 'DATA:')))).toBe('The sea.\n\n[Picture 1.png]')
  })

  test('of a question is its text, with files by name', () => {
    expect(copiedText({ id: 'q', role: 'user', parts: [sea, stored] }, 'https://chat.example')).toBe('[Picture 1.png]\nThe sea.')
  })
})

import { describe, expect, test } from 'vitest'
import { copiedText } from '../../../../web/features/thread/copied-text.ts'
import { madeFile } from '../../../../web/features/thread/made-file.ts'
import { segmentsOf } from '../../../../web/features/thread/segments.ts'
import type { AnswerMessage, FilePart, MessagePart } from '../../../../worker/contract/messages.ts'

const file = (url: string, mediaType = 'image/png'): FilePart => ({ type: 'file', mediaType, url })
const png = 'data:image/png;base64,iVBORw0KGgo='

describe('a file that a model made', () => {
  test.each(['png', 'jpeg', 'gif', 'webp'])('is a picture as %s', (type) => {
    const url = `data:image/${type};base64,AAAA`
    expect(madeFile(file(url), 2)).toEqual({ kind: 'picture', name: `Picture 2.${type === 'jpeg' ? 'jpg' : type}`, url })
  })

  // Whatever its vendor calls it: all of these are said to be PNG.
  test.each([
    ['data:image/svg+xml;base64,PHN2Zz4=', 'File 1.svg', 'SVG'],
    ['data:text/html;base64,PGI+aGk=', 'File 1.html', 'HTML'],
    ['data:text/html;charset=utf-8;base64,PGI+aGk=', 'File 1.html', 'HTML'],
    ['data:IMAGE/SVG+XML;base64,PHN2Zz4=', 'File 1.svg', 'SVG'],
    ['data:image/png;base64,', 'File 1.png', 'PNG'],
    ['data:application/pdf;base64,JVBERi0=', 'File 1.pdf', 'PDF'],
    ['data:application/vnd.oasis.opendocument;base64,JVBERi0=', 'File 1.bin', 'BIN'],
  ])('is to be saved: %s', (url, name, type) => {
    expect(madeFile(file(url), 1)).toMatchObject({ kind: 'download', name, url, type })
  })

  test('kept by its vendor is a link, without what else an address can do', () => {
    expect(madeFile(file('https://files.example/a.png'), 1)).toMatchObject({ kind: 'elsewhere', host: 'files.example' })
    for (const url of ['javascript:alert(1)', 'http://files.example/a.png', 'data:image/png,raw', '/api/files/x', ''])
      expect(madeFile(file(url), 1), url).toEqual({ kind: 'unknown', name: 'File 1' })
  })
})

test('files stand where they were made, together with their neighbours, numbered through the answer', () => {
  const parts: MessagePart[] = [file(png), file(png), { type: 'text', text: 'and', state: 'done' }, file(png)]
  expect(segmentsOf(parts).map((segment) => (segment.kind === 'files' ? segment.files.map(({ name }) => name) : segment.kind))).toEqual([
    ['Picture 1.png', 'Picture 2.png'],
    'text',
    ['Picture 3.png'],
  ])
})

test('what is copied of an answer that is a picture alone names it, and never holds its bytes', () => {
  const answer = (parts: readonly MessagePart[]) => ({ id: 'a', role: 'assistant', parts, metadata: {} }) as unknown as AnswerMessage
  expect(copiedText(answer([file(png)]))).toBe('[Picture 1.png]')
  expect(copiedText(answer([file(png), { type: 'text', text: 'The sea.' }]))).toBe('The sea.')
})

import { describe, expect, test } from 'vitest'
import { segmentsOf } from '../../../../../web/features/chat/message/segments.ts'
import { namedSources } from '../../../../../web/features/chat/message/sources-list.tsx'
import { webSummary } from '../../../../../web/features/chat/research/web-summary.ts'
import { sealParts } from '../../../../../worker/contract/threads/message-stream.ts'
import type { MessagePart, ToolPart } from '../../../../../worker/contract/threads/messages.ts'

let calls = 0
const search = (state: ToolPart['state'], fields: Partial<ToolPart> = {}): ToolPart => ({
  type: 'tool-search',
  toolCallId: `call-${++calls}`,
  state,
  input: { query: 'tides' },
  ...fields,
})
const read = (state: ToolPart['state'], url = 'https://www.sea.org/tides', fields: Partial<ToolPart> = {}): ToolPart => ({
  type: 'tool-read_page',
  toolCallId: `call-${++calls}`,
  state,
  input: { url },
  ...fields,
})
const done = 'output-available'
const failed = 'output-error'
/** As in an answer that ended before the calls did. */
const stopped = (list: readonly ToolPart[]) => sealParts(list) as ToolPart[]

describe('one line for adjacent calls', () => {
  test.each<[string, ToolPart[], boolean, string]>([
    ['running search', [search('input-available')], true, 'Searching the web…'],
    ['its query not yet there', [search('input-streaming', { input: null })], true, 'Searching the web…'],
    ['running read', [search(done), read('input-available')], true, 'Reading sea.org…'],
    ['an address that is none', [read('input-available', 'nonsense')], true, 'Reading a page…'],
    ['all done', [search(done), search(done), ...[1, 2, 3, 4].map(() => read(done))], false, 'Searched the web 2 times · read 4 pages'],
    ['one of each', [search(done), read(done)], false, 'Searched the web · read 1 page'],
    ['a failed search', [search(failed)], false, 'Search failed'],
    [
      'some of it failed',
      [search(done), search(failed), read(done), read(failed)],
      false,
      'Searched the web · search failed · read 1 page · could not read 1 page',
    ],
    ['only failed reads', [read(failed), read(failed)], false, 'Could not read 2 pages'],
    ['a search in the midst of which it was stopped', stopped([search('input-available')]), false, 'Search not finished'],
    ['a read likewise', stopped([search(done), read('input-available')]), false, 'Searched the web · reading not finished'],
  ])('%s', (_name, list, isRunning, line) => {
    expect(webSummary(list, isRunning)).toBe(line)
  })
})

test('adjacent calls form one segment, across steps; text ends it', () => {
  const parts: MessagePart[] = [
    { type: 'step-start' },
    search(done),
    { type: 'step-start' },
    read(done),
    read(done),
    { type: 'step-start' },
    { type: 'text', text: 'So.' },
    search(done),
    { type: 'tool-other', toolCallId: 'x', state: done },
  ]
  expect(segmentsOf(parts).map((segment) => (segment.kind === 'web' ? `web ${segment.calls.length}` : segment.kind))).toEqual([
    'web 3',
    'text',
    'web 1',
    'tool',
  ])
})

test('sources named by a model are listed once each, and only with addresses that a browser may open', () => {
  const source = (url: string, title?: string): MessagePart => ({ type: 'source-url', sourceId: url, url, ...(title ? { title } : {}) })
  const parts = [source('https://a.org/x', 'A'), source('https://a.org/x', 'A'), source('javascript:alert(1)'), source('https://b.org')]
  expect(namedSources(parts).map(({ url }) => url)).toEqual(['https://a.org/x', 'https://b.org'])
})

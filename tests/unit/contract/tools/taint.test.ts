// Which calls need the user's approval (worker/chat/SPEC.md, G18 to G20), and where the text in a context came from.
import { describe, expect, test } from 'vitest'
import type { AnswerMetadata, ChatMessage, MessagePart, ToolPart } from '../../../../worker/contract/threads/messages.ts'
import { decide, type JudgedTool, originsOfContext, originsOfParts, type ToolGrant } from '../../../../worker/contract/tools/taint.ts'

const tool = (source: string, more: Partial<JudgedTool> = {}): JudgedTool => ({
  source,
  name: 'look',
  digest: 'd1',
  isReadOnly: true,
  ...more,
})
const search = tool('web', { name: 'search' })
const readPage = tool('web', { name: 'read_page', isSelection: true })
const look = tool('notes')
const write = tool('notes', { name: 'write', isReadOnly: false })
const grant = (of: JudgedTool, more: Partial<ToolGrant> = {}): ToolGrant => ({
  source: of.source,
  tool: of.name,
  digest: of.digest,
  ...more,
})

describe('[G18] a call runs or asks', () => {
  test.each<[string, JudgedTool, readonly string[], readonly ToolGrant[], 'run' | 'ask']>([
    ['a search about what the user typed', search, [], [], 'run'],
    ['a search after a search', search, ['web'], [], 'run'],
    ['a search with a file in the context', search, ['file'], [], 'ask'],
    ['a search after a result of a server', search, ['web', 'notes'], [], 'ask'],
    ['a page of a result', readPage, ['web'], [], 'run'],
    ['a page of a result with a file in the context', readPage, ['web', 'file'], [], 'run'],
    ['a read of a server about what the user typed', look, [], [], 'run'],
    ['a second read of the server', look, ['notes'], [], 'run'],
    ['a read of a server after a search', look, ['web'], [], 'ask'],
    ['a read of a server after a read of another server', look, ['notes', 'mail'], [], 'ask'],
    ['a read of a server with a file in the context', look, ['file'], [], 'ask'],
    ['a change that the user typed', write, [], [], 'ask'],
    ['a change after a read of the same server', write, ['notes'], [], 'ask'],
    ['a change that only selects', { ...write, isSelection: true }, [], [], 'ask'],
    ['a change with a grant', write, ['web', 'file'], [grant(write)], 'run'],
    ['a read of a server after a search with a grant', look, ['web'], [grant(look)], 'run'],
    ['a change with a grant for another tool', write, [], [grant(look)], 'ask'],
    ['a change with a grant for a tool of this name on another server', write, [], [grant(write, { source: 'mail' })], 'ask'],
    ['a change with a grant for an earlier definition', write, [], [grant(write, { digest: 'd0' })], 'ask'],
    ['a server that calls itself a file', tool('file'), ['file', 'web'], [], 'ask'],
  ])('%s', (_name, judged, origins, grants, decision) => {
    expect(decide({ tool: judged, origins, grants })).toBe(decision)
  })
})

const call = (type: ToolPart['type'], state: ToolPart['state'], source?: string): ToolPart => ({
  type,
  toolCallId: 'c',
  state,
  ...(source === undefined ? {} : { source: { id: source, name: source } }),
})

describe('[G19] the parts of an answer have the origins of the results that its model read', () => {
  test.each<[string, MessagePart, readonly string[]]>([
    ['text', { type: 'text', text: 'See https://a.org' }, []],
    ['a search', call('tool-search', 'output-available'), ['web']],
    ['a failed search', call('tool-search', 'output-error'), []],
    ['a page', call('tool-read_page', 'output-available'), ['web']],
    ['a page that failed, which its site can influence', call('tool-read_page', 'output-error'), ['web']],
    ['the notes of a research', call('tool-findings', 'output-available'), ['web']],
    ['the plan of a research', call('tool-plan', 'output-available'), []],
    ['a result of a server', call('tool-notes__look', 'output-available', 'notes'), ['notes']],
    ['a call without a result', call('tool-notes__look', 'input-available', 'notes'), []],
  ])('%s', (_name, part, origins) => {
    expect(originsOfParts([part, part])).toEqual(origins)
  })
})

const user = (parts: readonly MessagePart[]): ChatMessage => ({ id: 'q', role: 'user', parts })
const answer = (parts: readonly MessagePart[], metadata: Partial<AnswerMetadata> = {}): ChatMessage => ({
  id: 'a',
  role: 'assistant',
  parts,
  metadata: { modelId: 'm', modelName: 'M', modelIcon: 'm', ending: 'completed', credits: 1, ...metadata },
})
const typed = user([{ type: 'text', text: 'Read https://a.org' }])
const file: MessagePart = { type: 'file', mediaType: 'text/plain', url: '/files/f' }
const said: MessagePart = { type: 'text', text: 'Yes.' }

describe('[G19] a context has the origins of all its text', () => {
  test.each<[string, readonly ChatMessage[], readonly string[]]>([
    ['words of the user', [typed, answer([said]), typed], []],
    ['a prompt of a server that the user inserted', [{ id: 'q', role: 'user', parts: [said], origins: ['notes'] }], ['notes']],
    ['a file of the user', [user([file]), answer([said]), typed], ['file']],
    ['a file that a model made', [typed, answer([file]), typed], []],
    ['an answer from a search', [typed, answer([call('tool-search', 'output-available'), said]), typed], ['web']],
    [
      'an answer whose context was tainted by messages that are left out',
      [answer([said], { origins: ['notes', 'web'] }), typed],
      ['notes', 'web'],
    ],
    ['an imported answer, which may be of anybody', [typed, answer([said], { imported: true }), typed], ['file']],
  ])('%s', (_name, history, origins) => {
    expect(originsOfContext({ history, hasProjectFiles: false })).toEqual(origins)
  })

  test('files of the project', () => {
    expect(originsOfContext({ history: [typed], hasProjectFiles: true })).toEqual(['file'])
    expect(originsOfContext({ history: [typed], hasProjectFiles: false })).toEqual([])
  })

  test('the answer that a turn continues', () => {
    const continued = answer([call('tool-notes__look', 'output-available', 'notes')], { origins: ['web'] })
    expect(originsOfContext({ history: [typed], hasProjectFiles: false, continued })).toEqual(['web', 'notes'])
  })

  test('a message of another user, in a copy, and of an imported file', () => {
    expect(originsOfContext({ history: [{ id: 'q', role: 'user', parts: [said], origins: ['file'] }], hasProjectFiles: false })).toEqual([
      'file',
    ])
  })
})

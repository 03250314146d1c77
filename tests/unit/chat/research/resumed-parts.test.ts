// A research resumed from its parts: every page shown as read is the one that the notes are based on.
import { expect, test } from 'vitest'
import type { CallOptions } from '../../../../worker/chat/model/types.ts'
import { successfulParts } from '../../../../worker/chat/research/research-log.ts'
import { generateResearch } from '../../../../worker/chat/research/run-research.ts'
import type { FoundPage, PageContents } from '../../../../worker/chat/tools/search-provider.ts'
import { ToolFailure } from '../../../../worker/chat/tools/tool-failure.ts'
import { type SearchConnection, turnWeb } from '../../../../worker/chat/tools/turn-web.ts'
import { ChunkWriter } from '../../../../worker/chat/turn/chunk-writer.ts'
import { isPageRead } from '../../../../worker/contract/models/tools.ts'
import { applyChunk, sealParts } from '../../../../worker/contract/threads/message-stream.ts'
import type { MessagePart } from '../../../../worker/contract/threads/messages.ts'
import { pageOutputOf, requestedOf } from '../../../../worker/contract/threads/sources.ts'
import { noFiles } from '../../../support/no-files.ts'
import { researchInput } from '../../../support/research-input.ts'
import { finish, streamingModel, textParts } from '../../../support/scripted-model.ts'

type Web = { readonly find: (query: string) => readonly string[]; readonly open: (url: string) => PageContents }

const worldOf = (web: Web, fetched: string[] = []): SearchConnection => ({
  mark: 'data-mark',
  provider: {
    isStandIn: false,
    search: async (query) => web.find(query).map((url): FoundPage => ({ url, title: url, date: null, snippet: 'A passage.' })),
    contents: async (url) => {
      fetched.push(url)
      return web.open(url)
    },
  },
})

/** `until: 'notes'`: its object dies during the notes. */
async function carryOut(web: Web, given: readonly MessagePart[], until: 'notes' | 'end') {
  let parts = given
  const emit = (chunk: Parameters<typeof applyChunk>[1]) => {
    parts = applyChunk(parts, chunk)
  }
  const prompts: string[] = []
  const fetched: string[] = []
  const death = new AbortController()
  const model = streamingModel((options: CallOptions) => {
    prompts.push(JSON.stringify(options.prompt))
    if (until === 'notes') death.abort()
    return [{ type: 'stream-start', warnings: [] }, ...textParts('Noted [1].'), finish('stop')]
  })
  const work = generateResearch({
    input: researchInput([{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'What is tea?' }] }]),
    model,
    call: {},
    files: noFiles,
    plan: { steps: [{ id: 'step-1', text: 'What it is', queries: ['one', 'two'] }] },
    parts,
    emit,
    connection: worldOf(web, fetched),
  })
  await work({ writer: new ChunkWriter(emit, Date.now), signal: death.signal, nowMs: Date.now })
  const shown = parts.filter(isPageRead).filter((part) => pageOutputOf(part) !== null)
  return { parts, fetched, shown, notes: prompts[0] ?? '' }
}

const page = (url: string): PageContents => ({ url, title: 'A page', text: `The words of ${url}`, isCut: false })
const moved: Web = {
  find: (query) => (query === 'one' ? ['https://tea.org/old', 'https://tea.org/other'] : []),
  open: (url) => page(url.replace('/old', '/new')),
}

test('a redirected page is read again under the address that was found', async () => {
  const before = await carryOut(moved, [], 'notes')
  expect(before.notes).toContain('The words of https://tea.org/new')
  const after = await carryOut(moved, before.parts, 'end')
  expect(after.notes).toContain('The words of https://tea.org/new')
  expect(after.fetched).toEqual(before.fetched)
  expect(after.shown).toEqual(before.shown)
})

test('an address keeps its number, found again directly or by its redirect; a new one gets the next', async () => {
  const { parts } = await carryOut(moved, [], 'notes')
  const again = ['https://tea.org/new', 'https://tea.org/old', 'https://tea.org/other', 'https://tea.org/third']
  const web = turnWeb({ history: [], continued: parts }, worldOf({ ...moved, find: () => again }).provider, { searches: 1, reads: 1 })
  const { results } = await web.search('again', new AbortController().signal)
  expect(results.map(({ number }) => number)).toEqual([1, 1, 2, 3])
})

test('a resumed research may read it again by either address, but no address that no search found', async () => {
  const { parts } = await carryOut(moved, [], 'notes')
  const web = turnWeb({ history: [], continued: parts }, worldOf(moved).provider, { searches: 1, reads: 2 })
  const { signal } = new AbortController()
  for (const url of ['https://tea.org/old', 'https://tea.org/new'])
    expect(await web.readPage(url, signal)).toMatchObject({ number: 1, url: 'https://tea.org/new' })
  await expect(web.readPage('https://tea.org/third', signal)).rejects.toThrow(ToolFailure)
})

test('a result that failed before is read in addition to the pages that were read, each under its own address', async () => {
  let isFailing = true
  const web: Web = {
    find: (query) => {
      if (query === 'two' && isFailing) throw new ToolFailure('search_error', 'The search failed.')
      return [1, 2, 3].map((place) => `https://${query}.org/${place}`)
    },
    open: page,
  }
  const before = await carryOut(web, [], 'notes')
  expect(before.shown.map(requestedOf)).toEqual(['https://one.org/1', 'https://one.org/2', 'https://one.org/3'])
  isFailing = false
  const after = await carryOut(web, successfulParts(sealParts(before.parts)), 'end')
  const read = ['https://one.org/1', 'https://two.org/1', 'https://one.org/2', 'https://one.org/3']
  expect(after.shown.map(requestedOf).toSorted()).toEqual(read.toSorted())
  for (const part of after.shown) expect(pageOutputOf(part)?.url).toBe(requestedOf(part))
  expect([...after.notes.matchAll(/The words of (https:\/\/[a-z]+\.org\/\d)/g)].map(([, url]) => url)).toEqual(read)
  expect(after.fetched).toEqual(read)
  expect(new Set(after.parts.filter(isPageRead).map(({ toolCallId }) => toolCallId)).size).toBe(read.length)
})

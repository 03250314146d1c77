/** The next step for a draft in the composer and the draft on the server. */
import { expect, test } from 'vitest'
import { type DraftStep, type DraftSyncState, draftStep } from '../../../../../web/features/chat/composer/text-tools/draft-step.ts'

type Local = DraftSyncState['local']
const synced = (revision: string | null, text: string, pendingRevisions: readonly string[] = []): Local['synced'] => ({
  revision,
  text,
  pendingRevisions,
})
const row = (revision: string, text: string) => ({ revision, text })

type Case = readonly [
  name: string,
  step: DraftStep,
  text: string,
  synced: Local['synced'],
  row: DraftSyncState['row'],
  more?: Partial<DraftSyncState>,
]

const editing = { messageId: 'm', parentId: null } as const

test.for<Case>([
  ['saves a first text', 'save', 'a', null, undefined],
  ['saves nothing for an empty field', 'none', '', null, undefined],
  ['saves no blank text', 'none', ' \n', null, undefined],
  ['saves a changed text', 'save', 'ab', synced('r1', 'a'), row('r1', 'a')],
  ['saves an empty text after the user deleted the text', 'save', '', synced('r1', 'a'), row('r1', 'a')],
  ['saves nothing that a write under way has', 'none', 'ab', synced('r1', 'a', ['r2']), row('r1', 'a'), { written: 'ab' }],
  ['saves a text that has changed since a write under way', 'save', 'abc', synced('r1', 'a', ['r2']), row('r1', 'a'), { written: 'ab' }],
  ['saves an empty text while its first write is under way', 'save', '', synced(null, '', ['r1']), undefined, { written: 'a' }],
  ['saves nothing after the text was sent', 'none', '', synced('r1', 'a'), row('r1', 'a'), { written: '' }],
  [
    'waits for the outcome of a write when another device wrote',
    'none',
    'ab',
    synced('r1', 'a', ['r2']),
    row('r9', 'x'),
    { written: 'ab' },
  ],
  ['saves a lone surrogate once', 'none', 'a\ud83d', synced('r1', 'a\ufffd'), row('r1', 'a\ufffd')],
  ['keeps an equal text', 'none', 'a', synced('r1', 'a'), row('r1', 'a')],
  ['notes the revision of an own write', 'acceptRevision', 'abc', synced('r1', 'a', ['r2']), row('r2', 'ab')],
  ['notes the revision of an equal text of another device', 'acceptRevision', 'a', null, row('r9', 'a')],
  ['takes a newer text without own changes', 'replaceText', 'a', synced('r1', 'a'), row('r2', 'ab')],
  ['takes a text into an empty field', 'replaceText', '', null, row('r1', 'a')],
  ['takes a text into an empty field that has the focus', 'replaceText', '', null, row('r1', 'a'), { isFocused: true }],
  ['offers a text to a user who has just emptied the field', 'offer', '', null, row('r1', 'a'), { isFocused: true, isTyping: true }],
  ['empties an unchanged text whose draft was sent elsewhere', 'replaceText', 'a', synced('r1', 'a'), row('r2', '')],
  ['offers a newer text while an unchanged one has the focus', 'offer', 'a', synced('r1', 'a'), row('r2', 'ab'), { isFocused: true }],
  [
    'empties a focused field in which the user has not typed when its draft was sent elsewhere',
    'replaceText',
    'a',
    synced('r1', 'a'),
    row('r2', ''),
    { isFocused: true },
  ],
  [
    'keeps the text of a user who is typing when its draft was sent elsewhere',
    'none',
    'a',
    synced('r1', 'a'),
    row('r2', ''),
    { isFocused: true, isTyping: true },
  ],
  ['offers a newer text beside own changes', 'offer', 'ax', synced('r1', 'a'), row('r2', 'ab')],
  ['offers a text beside one without a revision', 'offer', 'x', null, row('r1', 'a')],
  ['starts a new draft from own changes after the old one was sent', 'acceptRevision', 'ax', synced('r1', 'a'), row('r2', '')],
  ['keeps a text whose row is gone', 'none', 'a', synced('r1', 'a'), undefined],
])('%s', ([_name, step, text, state, found, more]) => {
  const local = { text, editing: null, synced: state }
  expect(draftStep({ local, row: found, written: undefined, isFocused: false, isTyping: false, ...more })).toBe(step)
})

test('leaves the draft alone while an earlier message is edited', () => {
  const local = { text: 'edited', editing, synced: synced('r1', 'a') }
  expect(draftStep({ local, row: row('r2', 'ab'), written: undefined, isFocused: false, isTyping: false })).toBe('none')
})

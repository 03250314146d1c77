import { expect, test } from 'vitest'
import { defaultChoices, type MessageChoices } from '../../../../../web/features/chat/composer/draft.ts'
import { switchOf } from '../../../../../web/features/chat/composer/switch-model.ts'
import type { Me, ModelRow } from '../../../../../web/sync/rows.ts'
import type { AttachedFile } from '../../../../../worker/contract/files/files.ts'

const model = (id: string, credits: number, changes: Partial<ModelRow> = {}) =>
  ({ id, name: id, model: id, credits, access: 'public', position: 1, unavailable: null, capabilities: ['tools'], ...changes }) as ModelRow
const sees = { capabilities: ['tools', 'vision'] } as const
const readsAll = { capabilities: ['tools', 'vision', 'documents'] } as const

const text = model('text', 2)
const image = { mediaType: 'image/png' } as const
const pdf = { mediaType: 'application/pdf' } as const

type Given = {
  readonly models?: readonly ModelRow[]
  readonly files?: readonly Pick<AttachedFile, 'mediaType'>[]
  readonly choices?: Partial<MessageChoices>
  readonly current?: ModelRow
  readonly former?: ModelRow | undefined
  readonly mode?: 'chat' | 'search'
  readonly isCompared?: boolean
  readonly plan?: Me['plan']
}
const given = ({
  models = [],
  files = [image],
  choices = {},
  current = text,
  former,
  mode = 'chat',
  isCompared = false,
  plan = 'free',
}: Given) =>
  switchOf({
    ...{ files, mode, former, isCompared, models: [text, ...models], answerId: 'a1', nowMs: 0 },
    choices: { ...defaultChoices, ...choices },
    me: { plan, usage: undefined, model: current } as Me,
  })
const readerOf = (options: Given) => given(options)?.picked?.modelId

test.each<[string, Given, string | undefined]>([
  ['the same price first', { models: [model('cheap', 1, readsAll), model('same', 2, sees)] }, 'same'],
  ['then a cheaper one, the nearest first', { models: [model('one', 0, sees), model('near', 1, sees), model('more', 3, sees)] }, 'near'],
  ['then a more expensive one', { models: [model('eight', 8, sees), model('three', 3, sees)] }, 'three'],
  ['the one with more abilities of the same price', { models: [model('some', 2, sees), model('all', 2, readsAll)] }, 'all'],
  ['one that reads all kinds', { models: [model('some', 2, sees), model('all', 8, readsAll)], files: [image, pdf] }, 'all'],
  ['none that the plan does not include', { models: [model('pro', 2, { ...sees, access: 'premium_required' })] }, undefined],
  ['none that is not available', { models: [model('gone', 2, { ...sees, unavailable: 'model_unreachable_now' })] }, undefined],
  ['none that costs more than is left', { models: [model('much', 100, sees)] }, undefined],
  [
    'one that searches in Search',
    { models: [model('blind', 2, { capabilities: ['vision'] }), model('all', 8, sees)], mode: 'search' },
    'all',
  ],
  ['none in a comparison', { models: [model('same', 2, sees)], isCompared: true }, undefined],
  ['none for a text', { models: [model('same', 2, sees)], files: [{ mediaType: 'text/plain' } as const] }, undefined],
  ['none after Undo', { models: [model('same', 2, sees)], choices: { keepsModel: true } }, undefined],
])('chooses %s', (_, options, expected) => {
  expect(readerOf(options)).toBe(expected)
})

const seer = model('seer', 2, sees)
const reader = model('reader', 2, readsAll)

test('a switch keeps the choice before it, and gives it back when the files are removed', () => {
  const picked = { modelId: 'text', answerId: 'a0' }
  const switched = given({ models: [seer], choices: { picked } })
  expect(switched).toEqual({ picked: { modelId: 'seer', answerId: 'a1' }, switchedFrom: { modelId: null, picked } })
  const after = { choices: { ...switched }, current: seer, former: text, models: [seer] }
  expect(given(after)).toBeNull()
  expect(given({ ...after, files: [] })).toEqual({ modelId: null, picked, switchedFrom: null })
})

test('a model for one message is replaced for that message only', () => {
  const switched = given({ models: [seer], choices: { modelId: 'text' } })
  expect(switched).toEqual({ modelId: 'seer', switchedFrom: { modelId: 'text', picked: null } })
})

test('a second kind of file switches again and keeps the first choice', () => {
  const switchedFrom = { modelId: null, picked: null }
  const choices = { picked: { modelId: 'seer', answerId: 'a1' }, switchedFrom }
  const next = given({ models: [seer, reader], choices, current: seer, former: text, files: [image, pdf] })
  expect(next).toEqual({ picked: { modelId: 'reader', answerId: 'a1' }, switchedFrom })
})

test('after Undo, the model may be switched again once no file is unread', () => {
  expect(given({ models: [seer], choices: { keepsModel: true }, files: [] })).toEqual({ keepsModel: false })
})

import { expect, test } from 'vitest'
import { companions } from '../../../../../web/features/chat/thread/start-with.ts'
import type { Me, ModelRow } from '../../../../../web/sync/rows.ts'

const model = (id: string, icon: string, more: object = {}) =>
  ({ id, icon, name: id, access: 'public', credits: 1, capabilities: [], ...more }) as unknown as ModelRow
const mine = model('mine', 'moon')
const me = { plan: 'guest', usage: undefined, model: mine } as unknown as Me

test('a comparison has the cheapest usable models of other makers, one of each', () => {
  const models = [
    mine,
    model('sibling', 'moon'),
    model('costly', 'sun', { credits: 8 }),
    model('cheap', 'sun'),
    model('locked', 'star', { access: 'premium_required' }),
    model('second', 'sea', { credits: 2 }),
    model('third', 'sky', { credits: 3 }),
  ]
  expect(companions(models, me).map(({ id }) => id)).toEqual(['cheap', 'second'])
})

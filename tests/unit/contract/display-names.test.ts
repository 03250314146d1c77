import { expect, test } from 'vitest'
import type { Plan } from '../../../worker/contract/access.ts'
import { greetingAt, greetingsFor, initialOf, isNameless } from '../../../worker/contract/display-names.ts'

const text = ((key: string, values?: { name: string }) => (values ? `${key} ${values.name}` : key)) as Parameters<typeof greetingsFor>[1]

test.each<[plan: Plan, name: string, nickname: string | null, greeting: string]>([
  ['guest', 'Kind Ferret', null, 'goodMorning'],
  ['guest', 'Kind Ferret', 'Ada', 'greetingWithName Ada'],
  ['free', 'ada', null, 'goodMorning'],
  ['free', 'ada', 'Ada', 'greetingWithName Ada'],
  ['pro', 'Ada Lovelace', null, 'greetingWithName Ada'],
])('a %s user named %s with the nickname %s is greeted by "%s"', (plan, name, nickname, greeting) => {
  const viewer = { plan, user: { name, email: 'ada@example.com' }, setting: { nickname } }
  expect(greetingAt(greetingsFor(viewer, text), 9)).toBe(greeting)
  expect(isNameless(viewer)).toBe(plan !== 'guest' && greeting === 'goodMorning')
})

test.each([
  ['ada', 'A'],
  ['😀 Ada', '😀'],
  ['👩🏽\u200D👩\u200D👧', '👩'],
  ['', ''],
])('the initial of %j is %j', (name, initial) => {
  expect(initialOf(name)).toBe(initial)
})

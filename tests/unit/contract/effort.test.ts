import { describe, expect, test } from 'vitest'
import { effortFor, effortsOf } from '../../../worker/contract/models/effort.ts'

describe('the effort of a turn', () => {
  test.each<[name: string, offered: readonly string[] | null, requested: string | null, effort: string | null]>([
    ['is what was requested, if the model offers it', ['low', 'medium', 'high'], 'high', 'high'],
    ['is medium otherwise', ['low', 'medium', 'high'], 'max', 'medium'],
    ['is the lower middle where there is no medium', ['low', 'high', 'max'], null, 'high'],
    ['is the lower of two', ['high', 'max'], 'low', 'high'],
    ['is none for a model without levels', null, 'high', null],
    ['is none for a model with an empty list', [], 'high', null],
    ['is never an unknown level', ['extreme'], 'extreme', null],
  ])('%s', (_name, effort, requested, expected) => expect(effortFor({ effort }, requested)).toBe(expected))
})

test('levels are shown in ascending order, in any order of the row', () => {
  expect(effortsOf({ effort: ['max', 'none', 'high'] })).toEqual(['none', 'high', 'max'])
})

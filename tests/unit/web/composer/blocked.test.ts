import { describe, expect, test } from 'vitest'
import { usageBanner } from '../../../../web/features/composer/banner.ts'
import { blockedBy, type ComposerFacts } from '../../../../web/features/composer/blocked.ts'
import { creditState } from '../../../../worker/contract/access.ts'
import { maxMessageChars } from '../../../../worker/contract/limits.ts'
import { model, usage } from '../build.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const today = Math.floor(nowMs / 86_400_000)

const facts = (changes: Partial<ComposerFacts> = {}): ComposerFacts => ({
  text: 'Hello',
  files: [],
  uploads: [],
  isBusy: false,
  isEditing: false,
  viewer: { plan: 'guest', usage: undefined, model: model() },
  ...changes,
})

describe('what stands in the way of sending', () => {
  test.each<[name: string, facts: ComposerFacts, code: string | null]>([
    ['nothing', facts(), null],
    ['no text', facts({ text: ' \n' }), 'message_empty'],
    ['too much text', facts({ text: 'x'.repeat(maxMessageChars + 1) }), 'message_too_long'],
    ['a file of the draft that is not stored any more', facts({ isFileMissing: true }), 'file_missing'],
    ['an answer being written, for an edited message', facts({ isBusy: true, isEditing: true, text: '' }), 'thread_busy'],
    ['an answer being written does not: the message waits', facts({ isBusy: true }), null],
    [
      'missing credits do not, for a message that waits',
      facts({ isBusy: true, viewer: { plan: 'free', usage: usage({ credits: 20, day: today }), model: model() } }),
      null,
    ],
    [
      'a model for PRO, also for a message that waits',
      facts({ isBusy: true, viewer: { plan: 'free', usage: undefined, model: model({ access: 'premium_required' }) } }),
      'premium_required',
    ],
    ['no model', facts({ viewer: { plan: 'guest', usage: undefined, model: undefined } }), 'no_model'],
    [
      'a model for accounts',
      facts({ viewer: { plan: 'guest', usage: undefined, model: model({ access: 'account_required' }) } }),
      'account_required',
    ],
    [
      'a model for PRO',
      facts({ viewer: { plan: 'free', usage: undefined, model: model({ access: 'premium_required' }) } }),
      'premium_required',
    ],
    [
      'no credits left',
      facts({ viewer: { plan: 'free', usage: usage({ credits: 20, day: today }), model: model() } }),
      'credits_exhausted',
    ],
    [
      'too few credits left',
      facts({ viewer: { plan: 'free', usage: usage({ credits: 17, day: today }), model: model({ credits: 5 }) } }),
      'credits_exhausted',
    ],
    [
      "yesterday's credits do not",
      facts({ viewer: { plan: 'free', usage: usage({ credits: 20, day: today - 1 }), model: model() } }),
      null,
    ],
    ['a person not known yet does not', facts({ viewer: undefined }), null],
  ])('%s', (_, given, code) => expect(blockedBy(given, nowMs)?.code ?? null).toBe(code))
})

describe("what is said about the day's credits", () => {
  const banner = (plan: 'guest' | 'pro', credits: number) =>
    usageBanner(plan, creditState(plan, usage({ credits, day: today }), nowMs), nowMs)
  test('nothing before four fifths', () => expect(banner('guest', 15)).toBeNull())
  test('the share from there on, rounded down', () =>
    expect(banner('guest', 17)).toEqual({ text: '85% of daily usage used', offersUpgrade: true, isExhausted: false }))
  test('the end of it, and when it begins anew by the clock of whoever reads it', () => {
    const midnight = new Date(Date.UTC(2026, 10, 21)).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })
    const text = `Daily usage limit reached. Credits are back at ${midnight}.`
    expect(banner('guest', 20)).toEqual({ text, offersUpgrade: true, isExhausted: true })
  })
  test('PRO is offered nothing more', () =>
    expect(banner('pro', 199)).toEqual({ text: '99% of daily usage used', offersUpgrade: false, isExhausted: false }))
})

import { describe, expect, test } from 'vitest'
import { blockedBy, type ComposerState } from '../../../../../web/features/chat/composer/blocked.ts'
import { defaultChoices } from '../../../../../web/features/chat/composer/draft.ts'
import { problemText, refusalMessage, sentWithoutText, usageBanner } from '../../../../../web/features/chat/composer/notices.tsx'
import { sendingSentence } from '../../../../../web/lib/refusals/sending-sentence.ts'
import { refusalSentence } from '../../../../../web/lib/refusals/sentence.ts'
import { creditState } from '../../../../../worker/contract/access.ts'
import { type Refusal, type RefusalCode, refusal } from '../../../../../worker/contract/errors.ts'
import { maxMessageChars, storedContentBytes } from '../../../../../worker/contract/limits.ts'
import { isMessageTooLong } from '../../../../../worker/contract/models/context-budget.ts'
import { model, usage } from '../../build.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const today = Math.floor(nowMs / 86_400_000)

const composerState = (changes: Partial<ComposerState> = {}): ComposerState => ({
  text: 'Hello',
  files: [],
  uploads: [],
  isBusy: false,
  isEditing: false,
  viewer: { plan: 'guest', usage: undefined, model: model() },
  isMessageTooLong,
  ...changes,
})

describe('reasons that prevent sending', () => {
  test.each<[name: string, state: ComposerState, code: string | null]>([
    ['nothing', composerState(), null],
    ['no text', composerState({ text: ' \n' }), 'message_empty'],
    ['too much text', composerState({ text: 'x'.repeat(maxMessageChars + 1) }), 'message_too_long'],
    ['text above the largest budget of the plan', composerState({ text: 'x'.repeat(60_000) }), 'message_over_budget'],
    ['the same text, until the check is loaded', composerState({ text: 'x'.repeat(60_000), isMessageTooLong: null }), null],
    [
      'text for another plan does not',
      composerState({ text: 'x'.repeat(60_000), viewer: { plan: 'free', usage: undefined, model: model({ contextTokens: 128_000 }) } }),
      null,
    ],
    [
      'a long text file, also for a message that waits',
      composerState({ isBusy: true, files: [{ id: 'f', name: 'f', mediaType: 'text/plain', sizeBytes: 60_000 }] }),
      'message_over_budget',
    ],
    [
      'a PDF with too many pages for another model of a comparison',
      composerState({
        files: [{ id: 'f', name: 'f', mediaType: 'application/pdf', sizeBytes: 60_000, pages: 12 }],
        viewer: { plan: 'free', usage: undefined, model: model({ capabilities: ['documents'], contextTokens: 128_000 }) },
        others: [model({ capabilities: ['documents'], contextTokens: 24_000 })],
      }),
      'message_over_budget',
    ],
    ['a file of the draft that is not stored any more', composerState({ isFileMissing: true }), 'file_missing'],
    ['an answer being written, for an edited message', composerState({ isBusy: true, isEditing: true, text: '' }), 'thread_busy'],
    ['an answer being written does not: the message waits', composerState({ isBusy: true }), null],
    [
      'missing credits do not, for a message that waits',
      composerState({ isBusy: true, viewer: { plan: 'free', usage: usage({ credits: 20, day: today }), model: model() } }),
      null,
    ],
    [
      'a model for PRO, also for a message that waits',
      composerState({ isBusy: true, viewer: { plan: 'free', usage: undefined, model: model({ access: 'premium_required' }) } }),
      'premium_required',
    ],
    [
      'a server without any connected model',
      composerState({ viewer: { plan: 'guest', usage: undefined, model: model({ unavailable: 'model_not_connected' }) } }),
      'no_model_connected',
    ],
    ...[false, true].map((isBusy): [string, ComposerState, string] => [
      `a full storage, for a message that ${isBusy ? 'waits' : 'is sent now'}`,
      composerState({ isBusy, viewer: { plan: 'free', usage: usage({ contentBytes: storedContentBytes.free }), model: model() } }),
      'content_full',
    ]),
    ['no model', composerState({ viewer: { plan: 'guest', usage: undefined, model: undefined } }), 'no_model'],
    [
      'a model for accounts',
      composerState({ viewer: { plan: 'guest', usage: undefined, model: model({ access: 'account_required' }) } }),
      'account_required',
    ],
    [
      'a model for PRO',
      composerState({ viewer: { plan: 'free', usage: undefined, model: model({ access: 'premium_required' }) } }),
      'premium_required',
    ],
    [
      'no credits left',
      composerState({ viewer: { plan: 'free', usage: usage({ credits: 20, day: today }), model: model() } }),
      'credits_exhausted',
    ],
    [
      'too few credits left',
      composerState({ viewer: { plan: 'free', usage: usage({ credits: 17, day: today }), model: model({ credits: 5 }) } }),
      'credits_short',
    ],
    [
      'too few credits for all models of a comparison',
      composerState({
        viewer: { plan: 'free', usage: usage({ credits: 17, day: today }), model: model() },
        others: [model(), model({ credits: 2 })],
      }),
      'credits_short',
    ],
    [
      'another model of a comparison that is not included',
      composerState({ others: [model({ access: 'premium_required' })] }),
      'premium_required',
    ],
    [
      'another model of a comparison that cannot read a file',
      composerState({
        files: [{ id: 'f', name: 'f', mediaType: 'image/png', sizeBytes: 1 }],
        viewer: { plan: 'guest', usage: undefined, model: model({ capabilities: ['vision'] }) },
        others: [model({ capabilities: [] })],
      }),
      'images_unsupported',
    ],
    [
      "yesterday's credits do not",
      composerState({ viewer: { plan: 'free', usage: usage({ credits: 20, day: today - 1 }), model: model() } }),
      null,
    ],
    [
      'an expected price above the credits left',
      composerState({
        quote: { expected: 20, exceedsLimit: false },
        viewer: { plan: 'guest', usage: usage({ credits: 1, day: today }), model: model() },
      }),
      'credits_short',
    ],
    ['an expected price above the credits of a day', composerState({ quote: { expected: 21, exceedsLimit: false } }), 'credits_above_day'],
    [
      'an expected price above the limit of the thread',
      composerState({ quote: { expected: 9, exceedsLimit: true } }),
      'turn_credits_short',
    ],
    ['neither, for a message that waits', composerState({ isBusy: true, quote: { expected: 21, exceedsLimit: true } }), null],
    ['a user that is not loaded yet does not', composerState({ viewer: undefined }), null],
  ])('%s', (_, given, code) => {
    const reason = blockedBy(given, nowMs)
    expect(reason?.code ?? null).toBe(code)
    // The first screen has its sentence: without one the button would look enabled.
    if (reason) expect(sendingSentence(reason)).toBe(refusalSentence(reason))
  })

  test('the price and the remaining credits, if any remain', () => {
    const viewer = { plan: 'free', usage: usage({ credits: 18, day: today }), model: model({ credits: 3 }) } as const
    expect(sentenceOf(blockedBy(composerState({ viewer }), nowMs))).toBe('Costs about 3 credits, you have 2 today')
  })
  test('the number of characters above the limit', () => {
    const message = 'A message can have up to 100,000 characters. Remove 1,234.'
    expect(sentenceOf(blockedBy(composerState({ text: 'x'.repeat(maxMessageChars + 1234) }), nowMs))).toBe(message)
  })
})

const sentenceOf = (refused: Refusal | null) => refused && refusalSentence(refused)

describe('the notice of a refusal', () => {
  const midnight = new Date(Date.UTC(2026, 10, 21)).toLocaleTimeString('en-US', { timeStyle: 'short' })
  test('has the reset time for a daily limit', () => {
    const spent = refusal('tool_limit_reached')
    expect(refusalMessage(spent, nowMs)).toBe(`Daily limit reached. Limit resets at ${midnight}.`)
    expect(refusalMessage(refusal('no_model'), nowMs)).toBe('No model selected')
    expect(sentWithoutText(spent, nowMs)).toBe(`Daily limit reached. Limit resets at ${midnight}. This will be sent without it.`)
  })
  test('says that the message is sent without it', () =>
    expect(sentWithoutText(refusal('tools_unsupported'), nowMs)).toBe('This model cannot use tools. This will be sent without it.'))

  const sent = {
    ...{ text: 'Hello', files: [], choices: defaultChoices, editing: null },
    beforeEditing: { text: '', files: [], choices: defaultChoices },
  }
  const textOf = (code: RefusalCode, unsent: typeof sent | null, current: { readonly blocked?: Refusal; readonly text?: string } = {}) =>
    problemText({ refusal: refusal(code), unsent, text: current.text }, { blocked: current.blocked ?? null, fallbackReason: null }, nowMs)
  test.each<[RefusalCode, string]>([
    ['premium_required', 'This model needs PRO. Your message was kept.'],
    ['thread_busy', 'An answer is still being written in this thread. Wait for it or stop it first. Your message was kept.'],
    ['credits_exhausted', `Daily usage limit reached. Limit resets at ${midnight}. Your message was kept.`],
  ])('ends its sentence before it states that the text was kept: %s', (code, text) => expect(textOf(code, sent)).toBe(text))
  test('is the short reason if the text is in the composer', () => expect(textOf('premium_required', null)).toBe('This model needs PRO'))
  test('has the values of the current refusal', () => {
    const blocked = refusal('credits_short', { credits: 3, left: 2 })
    expect(textOf('credits_short', sent, { blocked })).toBe(
      `Costs about 3 credits, you have 2 today. Limit resets at ${midnight}. Your message was kept.`,
    )
  })
  test('is the text that replaces its sentence, if there is one', () =>
    expect(textOf('file_type', null, { text: 'a.zip: unknown' })).toBe('a.zip: unknown'))
})

describe('the notice on the daily credits', () => {
  const banner = (credits: number, isCountShown = false) =>
    usageBanner(creditState('guest', usage({ credits, day: today }), nowMs), isCountShown, nowMs)
  test('is absent below four fifths', () => expect(banner(15)).toBeNull())
  test('has the remaining credits from there on', () => {
    expect(banner(18)).toEqual({ text: '2 credits left today', isExhausted: false })
    expect(banner(19)).toEqual({ text: '1 credit left today', isExhausted: false })
  })
  test('is absent while another part of the page shows them', () => expect(banner(18, true)).toBeNull())
  test('states that they are used up, and the reset in local time', () => {
    const midnight = new Date(Date.UTC(2026, 10, 21)).toLocaleTimeString('en-US', { timeStyle: 'short' })
    const text = `Daily usage limit reached. Limit resets at ${midnight}.`
    for (const isCountShown of [false, true]) expect(banner(20, isCountShown)).toEqual({ text, isExhausted: true })
  })
})

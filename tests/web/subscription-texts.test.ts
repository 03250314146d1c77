/** Texts about a subscription in each of its states, and whether the user has to act. */
import { expect, test } from 'vitest'
import { subscriptionWords } from '../../web/lib/subscription.tsx'
import type { Subscription } from '../../worker/contract/organizations/subscription.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const day = 24 * 60 * 60 * 1000
const of = (changes: Partial<Subscription>): Subscription => ({
  id: 'sub',
  status: 'active',
  currentPeriodEndMs: nowMs + 20 * day,
  cancelAtPeriodEnd: false,
  ...changes,
})

test.each([
  [of({}), 'Active', /^Renews on .*2026/, 'Manage subscription', false],
  [of({ cancelAtPeriodEnd: true }), 'Ending', /^Ends on .*2026.* keep PRO until then\.$/, 'Resume or manage', false],
  [of({ status: 'canceled' }), 'Ending', /^Ends on/, 'Manage subscription', false],
  [of({ status: 'past_due', paidUntilMs: nowMs }), 'Payment failed', /by .*2026.* to keep PRO/, 'Update payment', true],
  [of({ status: 'past_due', paidUntilMs: nowMs - 60 * day }), 'Payment failed', /to restore PRO/, 'Update payment', true],
  [of({ isPaused: true }), 'Paused', /You keep PRO until/, 'Manage subscription', false],
  [of({ isPaused: true, paidUntilMs: nowMs - day }), 'Paused', /subscription is paused/, 'Manage subscription', false],
  [of({ status: 'unpaid' }), 'Unpaid', /so PRO is off/, 'Update payment', true],
  [of({ status: 'canceled', currentPeriodEndMs: nowMs - day }), undefined, /^The subscription ended on/, 'Manage subscription', false],
])('%j', (subscription, badge, sentence, label, isUrgent) => {
  const words = subscriptionWords(subscription, nowMs)
  expect(words.badge?.text).toBe(badge)
  expect(words.sentence).toMatch(sentence)
  expect(words.manage).toEqual({ label, isUrgent })
  // If an organization pays, the texts mention neither an end of PRO nor a need to pay; the actions stay.
  const covered = subscriptionWords(subscription, nowMs, true)
  expect(covered.badge).toBeNull()
  expect(covered.sentence).toMatch(/[yY]our own subscription/)
  expect(covered.sentence).not.toMatch(/PRO/)
  expect(covered.manage).toEqual({ label, isUrgent })
})

/** The pages of the simulated payment provider: checkout and portal. Each states that nothing is charged. */
import { escapeHtml } from '../../lib/escape-html.ts'
import { plainPage } from '../../page/plain-page.ts'

const notice =
  '<p class="notice"><strong>Simulation.</strong> This development has no Stripe key. Nothing is charged, and no card is asked for.</p>'

type Checkout = { readonly status: string; readonly quantity: number; readonly cancel_url: string; readonly success_url: string }

export function simulatedCheckout({ status, quantity, cancel_url, success_url }: Checkout): Response {
  const offer = `<ul><li>PRO, each month${quantity > 1 ? `, for ${quantity} members` : ''}</li><li>$${25 * quantity}.00</li></ul>`
  if (status !== 'open') {
    return plainPage(200, 'Already paid', `${notice}${offer}<p><a class="button" href="${escapeHtml(success_url)}">Continue</a></p>`)
  }
  return plainPage(
    200,
    'Simulated checkout',
    `${notice}${offer}
<form method="post"><button class="primary">Subscribe</button></form>
<p><a href="${escapeHtml(cancel_url)}">Go back without paying</a></p>`,
  )
}

type Subscription = {
  readonly status: string
  readonly cancel_at_period_end: boolean
  readonly pause_collection: object | null
  readonly items: { readonly data: readonly [{ readonly quantity: number; readonly current_period_end: number }] }
}

const labels = {
  cancel: 'Cancel at the end of the period',
  resume: 'Resume',
  renew: 'Let the month pass',
  decline: 'Let the month pass, with the card refused',
  pay: 'Pay what is due',
  'give-up': 'Give up collecting',
  pause: 'Pause collecting',
  unpause: 'Collect again',
  'end-now': 'End now',
  refund: 'Refund the last payment',
  dispute: 'Dispute the last payment',
} as const

export function simulatedPortal(returnUrl: string, subscription: Subscription | null): Response {
  const back = `<p><a class="button" href="${escapeHtml(returnUrl)}">Back to the product</a></p>`
  if (!subscription) return plainPage(200, 'Simulated portal', `${notice}<p>There is no subscription.</p>${back}`)
  const [{ quantity, current_period_end }] = subscription.items.data
  const until = new Date(current_period_end * 1000).toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
  const button = (act: keyof typeof labels) => `<form method="post"><button name="act" value="${act}">${labels[act]}</button></form>`
  return plainPage(
    200,
    'Simulated portal',
    `${notice}
<ul>
<li>Status: ${escapeHtml(subscription.status)}${subscription.cancel_at_period_end ? ', ends with the period' : ''}${subscription.pause_collection ? ', paused' : ''}</li>
<li>Seats: ${quantity}</li>
<li>Current period until ${until}</li>
</ul>
<div class="acts">${actsFor(subscription).map(button).join('')}</div>
<p></p>${back}`,
  )
}

function actsFor({ status, cancel_at_period_end, pause_collection }: Subscription): readonly (keyof typeof labels)[] {
  if (status === 'past_due') return ['pay', 'give-up', 'end-now']
  if (status !== 'active') return ['refund', 'dispute']
  return [
    cancel_at_period_end ? 'resume' : 'cancel',
    ...(['renew', 'decline', pause_collection ? 'unpause' : 'pause', 'end-now', 'refund', 'dispute'] as const),
  ]
}

/** From the checkout to the end of a subscription: every screen, in both colour modes, on desktop and phone; and an organization that also pays. */
import { expect, test } from 'vitest'
import { newAccount } from '../../support/account.ts'
import { payingScreens } from '../screens/paying.ts'
import { walk } from '../screens/screen.ts'
import { setStage } from '../stage.ts'

const { newSignedInUser, openWithCookie, product } = setStage()

test('every screen of paying', async () => {
  const [me, owner, member] = await Promise.all(['me', 'owner', 'member'].map((name) => newAccount(product().url, `${name}@screens.test`)))
  if (!me || !owner || !member) throw new Error('three accounts')
  const { id: organizationId } = await owner.post<{ id: string }>('/api/auth/organization/create', { name: 'Atelier', slug: 'atelier' })
  const body = { organizationId, email: member.email, role: 'member' }
  const { id: invitationId } = await owner.post<{ id: string }>('/api/auth/organization/invite-member', body)
  await member.post('/api/auth/organization/accept-invitation', { invitationId })
  const users = { me: await openWithCookie(me), owner: await openWithCookie(owner), member: await openWithCookie(member) }
  await walk(payingScreens, { users, organizationId })
})

test('a user with PRO sees a notice before an organization pays for it again, and keeps PRO when the own subscription ends', async () => {
  const owner = await newSignedInUser('twice@example.test')
  const { page } = owner
  const settings = '/account/subscription'
  await page.goto(`/api/checkout?redirectUrl=${settings}`)
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByText(/Renews on/).waitFor()
  const answer = await page.request.post('/api/auth/organization/create', {
    data: { name: 'Twice', slug: 'twice' },
    headers: { origin: product().url },
  })
  const { id } = (await answer.json()) as { readonly id: string }
  await page.goto(`/team/${id}/billing`)
  await page.getByText('You already pay for PRO yourself').waitFor()
  await page.getByRole('link', { name: 'Upgrade to PRO' }).click()
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByText('You also pay for PRO yourself. Twice keeps paying for you.').waitFor()

  await page.getByRole('link', { name: 'Your subscription' }).click()
  await page
    .getByText('Twice pays for your PRO. You also pay for PRO yourself. You can cancel your own subscription and keep PRO.')
    .waitFor()
  await page.getByRole('link', { name: 'Manage subscription' }).click()
  await page.getByRole('button', { name: 'Cancel at the end of the period' }).click()
  await page.getByRole('link', { name: 'Back to the product' }).click()
  await page.getByText(/^Your own subscription ends on/).waitFor()
  await page.getByText('Twice pays for your PRO.', { exact: true }).waitFor()
  expect(await page.getByText(/You keep PRO until then/).count()).toBe(0)
})

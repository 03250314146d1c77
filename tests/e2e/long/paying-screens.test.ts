/** From the checkout to the end of a subscription: every screen, in both colour modes, on desktop and phone. */
import { test } from 'vitest'
import { newAccount } from '../../support/account.ts'
import { payingScreens } from '../screens/paying.ts'
import { walk } from '../screens/screen.ts'
import { setStage } from '../stage.ts'

const { openWithCookie, product } = setStage()

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

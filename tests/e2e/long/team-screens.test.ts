/** Organizations: every screen, in both colour modes, on desktop and phone. */
import { beforeAll, test } from 'vitest'
import { type Account, newAccount } from '../../support/account.ts'
import { openRecord } from '../../support/record-file.ts'
import { walk } from '../screens/screen.ts'
import { teamScreens } from '../screens/team.ts'
import { setStage } from '../stage.ts'

// Expired invitations, invitations for another account, and a slug that is taken.
const { openWithCookie, product } = setStage({ ignoredErrors: /status of 40[034]/ })

type Named = { readonly id: string }
const names = ['owner', 'admin', 'member', 'nobody', 'eve'] as const
let accounts: { readonly [name: string]: Account }
let organizationId: string
const invitations = { open: '', expired: '', accepted: '', declined: '' }

async function prepare(): Promise<void> {
  const made = await Promise.all(names.map(async (name) => [name, await newAccount(product().url, `${name}@screens.test`)] as const))
  accounts = Object.fromEntries(made)
  const { owner, admin, member, eve } = accounts as { [name in (typeof names)[number]]: Account }
  const call = <T = unknown>(who: Account, path: string, body: object) => who.post<T>(`/api/auth/organization/${path}`, body)
  await call(eve, 'create', { name: 'Taken', slug: 'taken' })
  organizationId = (await call<Named>(owner, 'create', { name: 'An organization with quite a long name for a phone', slug: 'long' })).id
  const invite = async (email: string, role = 'member') => (await call<Named>(owner, 'invite-member', { organizationId, email, role })).id
  invitations.accepted = await invite(member.email)
  invitations.declined = await invite(eve.email)
  invitations.expired = await invite('nobody@screens.test')
  for (const [who, invitationId] of [
    [member, invitations.accepted],
    [admin, await invite(admin.email, 'admin')],
  ] as const)
    await call(who, 'accept-invitation', { invitationId })
  await call(eve, 'reject-invitation', { invitationId: invitations.declined })
  await call(owner, 'create-team', { organizationId, name: 'Makers' })
  const team = await call<Named>(owner, 'create-team', { organizationId, name: 'A team of one' })
  await call(owner, 'add-team-member', { organizationId, teamId: team.id, userId: member.userId })

  await product().kill9()
  const record = openRecord(product().stateDir)
  record.prepare('update invitation set expiresAt = ? where id = ?').run(Date.now() - 1000, invitations.expired)
  record.close()
  await product().restart()
  invitations.open = await invite('nobody@screens.test')
}

beforeAll(prepare)

test('every screen of organizations', async () => {
  const users = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await openWithCookie(accounts[name] as Account)] as const)),
  )
  await walk(teamScreens, { users, organizationId, invitations })
})

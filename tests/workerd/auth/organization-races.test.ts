// Races that better-auth does not detect: writes above a limit or too late are refused by the database.
import { expect, test } from 'vitest'
import { refusal } from '../../../worker/contract/errors.ts'
import { maxOrganizationMembers, maxOrganizationsPerUser, maxPendingInvitations, maxTeams } from '../../../worker/contract/limits.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { env } from '../bindings.ts'
import { Browser, signInByCode } from './browser.ts'

type Account = { readonly browser: Browser; readonly email: string; readonly userId: string }

async function account(name: string): Promise<Account> {
  const browser = new Browser()
  const email = `${name}@example.test`
  return { browser, email, ...(await signInByCode(browser, email)) }
}

async function ownedBy({ browser }: Account, slug: string): Promise<string> {
  const { id } = await browser.json<{ id: string }>('/api/auth/organization/create', { body: { name: 'Racers', slug } })
  return id
}

const post = async ({ browser }: Account, path: string, body: object): Promise<{ status: number; body: unknown }> => {
  const answer = await browser.call(`/api/auth/organization/${path}`, { body })
  return { status: answer.status, body: await answer.json() }
}

const countOf = (sql: string, ...values: string[]) =>
  env.DB.prepare(`select count(*) n from ${sql}`)
    .bind(...values)
    .first<number>('n')

/** Existing rows: all but `freePlaces` of the maximum. */
const fill = (sql: string, max: number, freePlaces: number, ...values: string[]) =>
  env.DB.prepare(`with recursive row (i) as (select 1 union all select i + 1 from row where i < ${max - freePlaces}) ${sql}`)
    .bind(...values)
    .run()

/** A refusal in a race equals the later refusal, when better-auth itself detects the limit. */
async function expectFreePlaces(
  freePlaces: number,
  ask: (index: number) => Promise<{ status: number; body: unknown }>,
  late: object,
): Promise<void> {
  const answers = await Promise.all(Array.from({ length: freePlaces + 6 }, (_, index) => ask(index)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(freePlaces)
  const refused = await ask(answers.length)
  expect(refused).toMatchObject(late)
  expect(answers.filter(({ status }) => status !== 200)).toEqual(Array.from({ length: 6 }, () => refused))
}

test('concurrent creations of teams stop at the limit', async () => {
  const owner = await account('team-maker')
  const organizationId = await ownedBy(owner, 'many-teams')
  const teams = "insert into team (id, name, organizationId, createdAt) select ?1 || i, 'Team', ?1, 1 from row"
  await fill(teams, maxTeams, 2, organizationId)
  await expectFreePlaces(2, (index) => post(owner, 'create-team', { name: `Team ${index}`, organizationId }), {
    status: 400,
    body: { code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS' },
  })
  expect(await countOf('team where organizationId = ?', organizationId)).toBe(maxTeams)
})

test('concurrent invitations stop at the limit, and only created ones are mailed; expired ones do not count', async () => {
  const owner = await account('eager-inviter')
  const organizationId = await ownedBy(owner, 'many-invitations')
  const later = Date.now() + 60 * 60 * 1000
  const invitations = `insert into invitation (id, organizationId, email, role, status, expiresAt, createdAt, inviterId)
     select ?1 || i, ?1, i || '@crowd.test', 'member', 'pending', iif(i > 3, ${later}, 1), 1, ?2 from row`
  await fill(invitations, maxPendingInvitations + 3, 2, organizationId, owner.userId)
  await expectFreePlaces(
    2,
    (index) => post(owner, 'invite-member', { email: `late-${index}@crowd.test`, role: 'member', organizationId }),
    {
      status: 403,
      body: { code: 'INVITATION_LIMIT_REACHED' },
    },
  )
  const sneaked = fill(
    invitations.replace("i || '@crowd.test'", "i || '@sneak.test'").replace('?1 || i', "?1 || 's' || i"),
    1,
    0,
    organizationId,
    owner.userId,
  )
  expect(await sneaked.catch(classifyD1Error)).toEqual({ kind: 'guard', code: 'invitation_limit_reached' })
  const open = `invitation where organizationId = ? and status = 'pending' and expiresAt > ${Date.now()}`
  expect(await countOf(open, organizationId)).toBe(maxPendingInvitations)
  expect(await countOf("outbox where recipient like 'late-%@crowd.test'")).toBe(2)
})

/** An organization with one free place and a team, an invitation to both, and a competitor for the place. */
async function fullHouse(name: string) {
  const owner = await account(`${name}-host`)
  const organizationId = await ownedBy(owner, name)
  const { id: teamId } = (await post(owner, 'create-team', { name: 'Guests', organizationId })).body as { id: string }
  const guest = await account(`${name}-visitor`)
  const { body } = await post(owner, 'invite-member', { email: guest.email, role: 'member', organizationId, teamId })
  const { id: invitationId } = body as { id: string }
  const users =
    "insert into user (id, name, email, emailVerified, createdAt, updatedAt) select ?1 || i, 'P', ?1 || i || '@p.test', 1, 1, 1 from row"
  await fill(users, maxOrganizationMembers, 1, organizationId)
  const members = "insert into member (id, organizationId, userId, role, createdAt) select ?1 || i, ?1, ?1 || i, 'member', 1 from row"
  await fill(members, maxOrganizationMembers, 2, organizationId)
  const last = `${organizationId}${maxOrganizationMembers - 1}`
  const inTeam = async () => [
    await countOf('teamMember where teamId = ?', teamId),
    await env.DB.prepare('select memberCount from team where id = ?').bind(teamId).first('memberCount'),
  ]
  return { owner, organizationId, teamId, guest, invitationId, last, inTeam }
}

/** Runs at the moment when this invitation counts as accepted and no member exists yet. */
async function acceptedWhile({ guest, invitationId }: { guest: Account; invitationId: string }, others: readonly string[]) {
  await env.DB.exec(
    `create trigger quicker after update of status on invitation when new.id = '${invitationId}' and new.status = 'accepted' begin ${others.map((sql) => `${sql};`).join(' ')} end`,
  )
  const answer = await post(guest, 'accept-invitation', { invitationId })
  await env.DB.exec('drop trigger quicker')
  return answer
}

const taking = (organizationId: string, last: string) =>
  `insert into member (id, organizationId, userId, role, createdAt) values ('${last}', '${organizationId}', '${last}', 'member', 1)`

test('a user who accepts while the last place is taken joins neither organization nor teams, and may join later', async () => {
  const house = await fullHouse('full-house')
  const { organizationId, guest, invitationId, last, inTeam } = house
  const refused = await acceptedWhile(house, [taking(organizationId, last)])
  expect(refused).toMatchObject({ status: 403, body: { code: 'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED' } })
  const accept = () => post(guest, 'accept-invitation', { invitationId })
  expect(await accept()).toEqual(refused)
  expect(await countOf('member where organizationId = ?', organizationId)).toBe(maxOrganizationMembers)
  expect(await inTeam()).toEqual([0, 0])

  await env.DB.prepare('delete from member where id = ?').bind(last).run()
  expect((await accept()).status).toBe(200)
  expect(await countOf('member where organizationId = ?', organizationId)).toBe(maxOrganizationMembers)
  expect(await inTeam()).toEqual([1, 1])
})

test('the same for a user who is invited again at that moment; the newer invitation counts', async () => {
  const house = await fullHouse('full-again')
  const { owner, organizationId, teamId, guest, invitationId, last, inTeam } = house
  const expiresAt = Date.now() + 60 * 60 * 1000
  const again = `insert into invitation (id, organizationId, email, role, status, teamId, expiresAt, createdAt, inviterId)
    values ('again', '${organizationId}', '${guest.email}', 'member', 'pending', '${teamId}', ${expiresAt}, 1, '${owner.userId}')`
  const refused = await acceptedWhile(house, [taking(organizationId, last), again.replace('\n', ' ')])
  expect(refused).toMatchObject({ status: 403, body: { code: 'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED' } })
  expect(await inTeam()).toEqual([0, 0])
  const open = `invitation where organizationId = ? and email = ? and status = 'pending'`
  expect(await countOf(open, organizationId, guest.email)).toBe(1)

  await env.DB.prepare('delete from member where id = ?').bind(last).run()
  expect((await post(guest, 'accept-invitation', { invitationId })).status).toBe(400)
  expect(await inTeam()).toEqual([0, 0])
  expect((await post(guest, 'accept-invitation', { invitationId: 'again' })).status).toBe(200)
  expect(await inTeam()).toEqual([1, 1])
})

test('concurrent acceptances of a user stop at the limit; the other invitations stay open', async () => {
  const hosts = await Promise.all(Array.from({ length: 9 }, (_, index) => account(`many-hosts-${index}`)))
  const joiner = await account('joiner')
  const invitations = await Promise.all(
    hosts.map(async (host, index) => {
      const organizationId = await ownedBy(host, `many-hosts-${index}`)
      const { body } = await post(host, 'invite-member', { email: joiner.email, role: 'member', organizationId })
      return (body as { id: string }).id
    }),
  )
  const organizations = "insert into organization (id, name, slug, createdAt) select 'joined-' || i, 'Joined', 'joined-' || i, 1 from row"
  await fill(organizations, maxOrganizationsPerUser, 2)
  const members = "insert into member (id, organizationId, userId, role, createdAt) select ?1 || i, 'joined-' || i, ?1, 'owner', 1 from row"
  await fill(members, maxOrganizationsPerUser, 2, joiner.userId)
  const accept = (invitationId: string | undefined) => post(joiner, 'accept-invitation', { invitationId })
  const open = `invitation where email = ? and status = 'pending' and expiresAt > ${Date.now()}`

  await expectFreePlaces(2, (index) => accept(invitations[index]), {
    status: 403,
    body: { code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS' },
  })
  expect(await countOf('member where userId = ?', joiner.userId)).toBe(maxOrganizationsPerUser)
  expect(await countOf(open, joiner.email)).toBe(7)

  const { results } = await env.DB.prepare(`select id from ${open}`).bind(joiner.email).all<{ id: string }>()
  await env.DB.prepare("delete from organization where id = 'joined-1'").run()
  expect((await accept(results[0]?.id)).status).toBe(200)
})

test('concurrent accept, decline and cancel of an invitation have one outcome', async () => {
  const owner = await account('undecided')
  const organizationId = await ownedBy(owner, 'one-fate')
  for (let round = 0; round < 12; round++) {
    const guest = await account(`one-fate-${round}`)
    const { body } = await post(owner, 'invite-member', { email: guest.email, role: 'member', organizationId })
    const { id: invitationId } = body as { id: string }
    const ask = {
      accepted: () => post(guest, 'accept-invitation', { invitationId }),
      canceled: () => post(owner, 'cancel-invitation', { invitationId }),
      rejected: () => post(guest, 'reject-invitation', { invitationId }),
    }
    const order = (['accepted', 'canceled', 'rejected'] as const).toSorted((a, b) => (a < b ? 1 : -1) * ((round % 2) * 2 - 1))
    const answers = await Promise.all(order.map(async (outcome) => ({ outcome, ...(await ask[outcome]()) })))
    const won = answers.filter(({ status }) => status === 200)
    expect(won, JSON.stringify(answers)).toHaveLength(1)
    for (const { status, body } of answers)
      if (status !== 200)
        expect([
          [400, 'INVITATION_NOT_FOUND'],
          [409, 'invitation_answered'],
        ]).toContainEqual([status, (body as { code: string }).code])
    const status = await env.DB.prepare('select status from invitation where id = ?').bind(invitationId).first('status')
    expect(status).toBe(won[0]?.outcome)
    expect(await countOf('member where organizationId = ? and userId = ?', organizationId, guest.userId)).toBe(
      status === 'accepted' ? 1 : 0,
    )
  }
})

test('an invitation accepted a moment ago cannot be cancelled, nor a cancelled one be accepted', async () => {
  const owner = await account('late-owner')
  const organizationId = await ownedBy(owner, 'too-late')
  const guest = await account('too-late-guest')
  const { body } = await post(owner, 'invite-member', { email: guest.email, role: 'member', organizationId })
  const { id: invitationId } = body as { id: string }
  expect((await post(guest, 'accept-invitation', { invitationId })).status).toBe(200)
  const withdrawn = await post(owner, 'cancel-invitation', { invitationId })
  expect(withdrawn).toEqual({ status: 409, body: expect.objectContaining(refusal('invitation_answered')) })
  expect(await countOf("invitation where id = ? and status = 'accepted'", invitationId)).toBe(1)

  const other = await account('withdrawn-guest')
  const second = (await post(owner, 'invite-member', { email: other.email, role: 'member', organizationId })).body as { id: string }
  for (const _again of [1, 2]) expect((await post(owner, 'cancel-invitation', { invitationId: second.id })).status).toBe(200)
  expect(await post(other, 'accept-invitation', { invitationId: second.id })).toMatchObject({ status: 400 })
  expect(await countOf('member where organizationId = ?', organizationId)).toBe(2)
})

// Organizations on the server: specification section 6, and the notification of members.
import { expect, test } from 'vitest'
import { refusal } from '../../../worker/contract/errors.ts'
import { maxOrganizationMetadataChars, maxOrganizationsPerPerson } from '../../../worker/contract/limits.ts'
import { feedOf } from '../../support/rows.ts'
import { env, worker } from '../bindings.ts'
import { origin, Person, signInByCode } from './person.ts'

type Organization = { id: string; name: string }

async function account(name: string): Promise<{ person: Person; userId: string; email: string }> {
  const person = new Person()
  const email = `${name}@example.test`
  return { person, email, ...(await signInByCode(person, email)) }
}

async function invite(owner: Person, organizationId: string, who: { person: Person; email: string }, role: string): Promise<string> {
  const invitation = await owner.json<{ id: string }>('/api/auth/organization/invite-member', {
    body: { email: who.email, role, organizationId },
  })
  const { member } = await who.person.json<{ member: { id: string } }>('/api/auth/organization/accept-invitation', {
    body: { invitationId: invitation.id },
  })
  return member.id
}

test('owner, admin and member have the permissions of the specification', async () => {
  const [owner, admin, member, otherUser] = await Promise.all(['owner', 'admin', 'member', 'stranger'].map(account))
  if (!owner || !admin || !member || !otherUser) throw new Error('four users')
  const { id: organizationId } = await owner.person.json<Organization>('/api/auth/organization/create', {
    body: { name: 'Acme', slug: 'acme' },
  })
  await invite(owner.person, organizationId, admin, 'admin')
  const memberId = await invite(owner.person, organizationId, member, 'member')

  const rename = (who: Person) => who.call('/api/auth/organization/update', { body: { organizationId, data: { name: 'Acme 2' } } })
  expect([(await rename(owner.person)).status, (await rename(admin.person)).status]).toEqual([200, 200])
  expect((await rename(member.person)).status).toBe(403)
  expect((await rename(otherUser.person)).ok).toBe(false)

  const team = (who: Person, name: string) => who.call('/api/auth/organization/create-team', { body: { name, organizationId } })
  expect((await team(admin.person, 'Makers')).status).toBe(200)
  expect((await team(member.person, 'Takers')).ok).toBe(false)

  expect(
    (await member.person.call('/api/auth/organization/remove-member', { body: { memberIdOrEmail: admin.email, organizationId } })).ok,
  ).toBe(false)
  expect((await admin.person.call('/api/auth/organization/delete', { body: { organizationId } })).status).toBe(403)

  const seen = await otherUser.person.json<Organization[]>('/api/auth/organization/list')
  expect(seen).toEqual([])
  expect((await otherUser.person.call(`/api/auth/organization/get-full-organization?organizationId=${organizationId}`)).ok).toBe(false)

  // A second owner: an admin who removes one is refused for the role, not because of the last owner.
  await owner.person.json('/api/auth/organization/update-member-role', { body: { memberId, role: 'owner', organizationId } })
  const removed = await admin.person.call('/api/auth/organization/remove-member', { body: { memberIdOrEmail: memberId, organizationId } })
  expect([removed.status, await removed.json()]).toEqual([403, expect.objectContaining({ code: 'OWNER_REMOVED_BY_OWNER' })])
  await owner.person.json('/api/auth/organization/update-member-role', { body: { memberId, role: 'member', organizationId } })

  expect(await feedOf(env.DB, 'directoryChange', `org:${organizationId}`)).toContain(`u organization:${organizationId}`)
  await owner.person.json('/api/auth/organization/remove-member', { body: { memberIdOrEmail: memberId, organizationId } })
  expect(await feedOf(env.DB, 'directoryChange', `user:${member.userId}`)).toContain(`d scope:org:${organizationId}`)
  expect((await owner.person.call('/api/auth/organization/delete', { body: { organizationId } })).status).toBe(200)
  expect(await feedOf(env.DB, 'directoryChange', `org:${organizationId}`)).toContain(`d scope:org:${organizationId}`)
})

test('an organization stores no unknown fields', async () => {
  const { person } = await account('bearer')
  const create = (body: object) => person.call('/api/auth/organization/create', { body: { name: 'Full', slug: 'full', ...body } })
  for (const metadata of [{ blob: 'x' }, 7, 'x'.repeat(maxOrganizationMetadataChars + 1)])
    expect((await create({ metadata })).status).toBe(400)
  const organization = (await (await create({})).json()) as Organization
  const update = await person.call('/api/auth/organization/update', {
    body: { organizationId: organization.id, data: { metadata: { blob: 'x' } } },
  })
  expect(update.status).toBe(400)
})

test('metadata is a string of bounded length, stored as JSON by create and by update; null clears it', async () => {
  const { person } = await account('noter')
  const longest = 'n'.repeat(maxOrganizationMetadataChars)
  const created = await person.json<Organization>('/api/auth/organization/create', {
    body: { name: 'Noted', slug: 'noted', metadata: 'cost centre "7"' },
  })
  expect(created).toMatchObject({ metadata: 'cost centre "7"' })
  const stored = () => env.DB.prepare('select metadata from organization where id = ?').bind(created.id).first('metadata')
  expect(await stored()).toBe(JSON.stringify('cost centre "7"'))
  const update = (metadata: string | null) =>
    person.call('/api/auth/organization/update', { body: { organizationId: created.id, data: { metadata } } })
  expect(await (await update(longest)).json()).toMatchObject({ metadata: longest })
  expect(await stored()).toBe(JSON.stringify(longest))
  const refused = await update(`${longest}n`)
  expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ code: 'invalid_request' })])
  await person.json('/api/auth/organization/update', { body: { organizationId: created.id, data: { name: 'Renamed' } } })
  expect(await stored()).toBe(JSON.stringify(longest))
  const cleared = await update(null)
  expect([cleared.status, await cleared.json()]).toEqual([200, expect.not.objectContaining({ metadata: expect.anything() })])
  const full = `/api/auth/organization/get-full-organization?organizationId=${created.id}`
  expect(await person.json(full)).not.toMatchObject({ metadata: expect.stringContaining('n') })
  expect(await stored()).toBe('')
  const without = await person.json<Organization>('/api/auth/organization/create', {
    body: { name: 'Plain', slug: 'plain', metadata: null },
  })
  expect(await env.DB.prepare('select metadata from organization where id = ?').bind(without.id).first('metadata')).toBeNull()
})

test('get-active-member returns the membership of the session in its active organization', async () => {
  const { person, userId } = await account('active')
  const organization = await person.json<Organization>('/api/auth/organization/create', { body: { name: 'Active', slug: 'active' } })
  await person.json('/api/auth/organization/set-active', { body: { organizationId: organization.id } })
  const member = await person.json<Record<string, unknown>>('/api/auth/organization/get-active-member')
  expect(member).toMatchObject({ id: expect.any(String), userId, organizationId: organization.id, role: 'owner' })
  const guest = await account('inactive')
  const missing = await guest.person.call('/api/auth/organization/get-active-member')
  expect([missing.status, await missing.json()]).toEqual([400, expect.objectContaining({ code: 'NO_ACTIVE_ORGANIZATION' })])
})

test('an invitation to another address or of another organization gets the same response as a missing one', async () => {
  const [owner, invited, eve] = await Promise.all(['inviting', 'invited', 'prying'].map(account))
  if (!owner || !invited || !eve) throw new Error('three users')
  const { id: organizationId } = await owner.person.json<Organization>('/api/auth/organization/create', {
    body: { name: 'Closed', slug: 'closed' },
  })
  // A user with all permissions in another organization.
  const { id: ownId } = await eve.person.json<Organization>('/api/auth/organization/create', { body: { name: 'Own', slug: 'own' } })
  const { id } = await owner.person.json<{ id: string }>('/api/auth/organization/invite-member', {
    body: { organizationId, email: 'invited@example.test', role: 'member' },
  })
  const post = (path: string, body: object) => eve.person.call(`/api/auth/organization/${path}`, { body })
  const calls = (invitationId: string) => [
    eve.person.call(`/api/auth/organization/get-invitation?id=${invitationId}`),
    post('accept-invitation', { invitationId }),
    post('reject-invitation', { invitationId }),
    post('cancel-invitation', { invitationId }),
    post('cancel-invitation', { invitationId, organizationId: ownId }),
  ]
  const answers = async (invitationId: string) =>
    Promise.all(calls(invitationId).map(async (call) => [(await call).status, await (await call).text()]))
  const absent = await answers('of-nobody')
  expect(absent.map(([status]) => status)).toEqual([404, 404, 404, 404, 404])
  expect(await answers(id)).toEqual(absent)
  await env.DB.prepare("update invitation set status = 'canceled' where id = ?").bind(id).run()
  expect(await answers(id)).toEqual(absent)
})

test('an empty change is refused', async () => {
  const { person } = await account('idler')
  const { id: organizationId } = await person.json<Organization>('/api/auth/organization/create', { body: { name: 'Idle', slug: 'idle' } })
  for (const data of [{}, { createdAt: 1 }]) {
    const answer = await person.call('/api/auth/organization/update', { body: { organizationId, data } })
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'invalid_request' })])
  }
})

test('a slug that was taken between check and write is refused as taken', async () => {
  const { person } = await account('late')
  const { id: organizationId } = await person.json<Organization>('/api/auth/organization/create', { body: { name: 'Late', slug: 'late' } })
  const quicker = `begin insert into organization (id, name, slug, createdAt) values ('rival-of-late', 'Rival', 'quick', 1); end`
  await env.DB.exec(`create trigger quicker before insert on organization when new.slug = 'quick' and new.name != 'Rival' ${quicker}`)
  await env.DB.exec(`create trigger quicker_still before update of slug on organization when new.slug = 'quick' ${quicker}`)
  const answers = [
    await person.call('/api/auth/organization/create', { body: { name: 'Quick', slug: 'quick' } }),
    await person.call('/api/auth/organization/update', { body: { organizationId, data: { slug: 'quick' } } }),
  ]
  for (const name of ['quicker', 'quicker_still']) await env.DB.exec(`drop trigger ${name}`)
  for (const answer of answers)
    expect([answer.status, await answer.json()]).toEqual([409, expect.objectContaining({ code: 'ORGANIZATION_SLUG_ALREADY_TAKEN' })])
})

test('an organization above the limit, created concurrently, is removed again', async () => {
  const { person, userId } = await account('eager')
  const others = Array.from({ length: maxOrganizationsPerPerson }, (_, i) => i)
  const made = others.map(
    (i) =>
      `insert into organization (id, name, slug, createdAt) values ('meanwhile-${i}', 'Meanwhile', 'meanwhile-${i}', 1);
       insert into member (id, organizationId, userId, role, createdAt) values ('member-${i}', 'meanwhile-${i}', '${userId}', 'owner', 1);`,
  )
  const trigger = `create trigger meanwhile before insert on organization when new.slug = 'one-too-many' begin ${made.join(' ')} end`
  await env.DB.exec(trigger.replaceAll(/\s+/g, ' '))
  const answer = await person.call('/api/auth/organization/create', { body: { name: 'Too many', slug: 'one-too-many' } })
  await env.DB.exec('drop trigger meanwhile')
  expect([answer.status, await answer.json()]).toEqual([
    403,
    expect.objectContaining({ code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS' }),
  ])
  const { results } = await env.DB.prepare('select organizationId from member where userId = ?').bind(userId).all()
  expect(results).toHaveLength(maxOrganizationsPerPerson)
})

test('members are listed with paging, without database-specific filters', async () => {
  const { person } = await account('lister')
  const { id } = await person.json<Organization>('/api/auth/organization/create', { body: { name: 'List', slug: 'list' } })
  const list = (query: string) => person.call(`/api/auth/organization/list-members?organizationId=${id}${query}`)
  expect(await (await list('&limit=1&offset=0')).json()).toMatchObject({ total: 1, members: [{ role: 'owner' }] })
  const odd = ['limit=-1', 'limit=1.5', 'limit=1e400', 'offset=-1', 'sortBy=nope', 'sortBy=__proto__', 'filterField=nope&filterValue=1']
  for (const query of [...odd, 'filterField=userId&filterValue=a&filterOperator=in']) {
    const answer = await list(`&${query}`)
    expect([query, answer.status, await answer.json()]).toEqual([query, 400, expect.objectContaining({ code: 'invalid_request' })])
  }
})

test('of concurrent invitations to one address one is created and mailed; an expired one does not count', async () => {
  const owner = await account('inviter')
  const { id: organizationId } = await owner.person.json<Organization>('/api/auth/organization/create', {
    body: { name: 'Eager', slug: 'eager' },
  })
  const inviteOnce = (email = 'eight@example.test') =>
    owner.person.call('/api/auth/organization/invite-member', { body: { email, role: 'member', organizationId } })
  const answers = await Promise.all(Array.from({ length: 8 }, () => inviteOnce()))
  const parsedAnswers = await Promise.all(answers.map(async (answer) => ({ status: answer.status, body: await answer.json() })))
  expect(parsedAnswers.filter(({ status }) => status === 200)).toHaveLength(1)
  // A late response by a moment gets the same refusal as a late one by a day.
  const late = await inviteOnce('Eight@example.test')
  const refused = { status: late.status, body: await late.json() }
  expect(refused).toMatchObject({ status: 400, body: { code: 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION' } })
  expect(parsedAnswers.filter(({ status }) => status !== 200)).toEqual(Array.from({ length: 7 }, () => refused))
  const { results: mails } = await env.DB.prepare("select 1 from outbox where recipient = 'eight@example.test'").all()
  expect(mails).toHaveLength(1)

  await env.DB.prepare('update invitation set expiresAt = 1 where organizationId = ?').bind(organizationId).run()
  expect((await inviteOnce()).status).toBe(200)
  const { results } = await env.DB.prepare('select status from invitation where organizationId = ? order by createdAt')
    .bind(organizationId)
    .all()
  expect(results).toEqual([{ status: 'canceled' }, { status: 'pending' }])
})

test('a permission with the name of an inherited property is refused', async () => {
  const { person } = await account('permissions')
  await person.json('/api/auth/organization/create', { body: { name: 'Names', slug: 'inherited-names' } })
  const ask = async (permissions: string) => {
    const headers = { origin, cookie: person.cookie, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: `{"permissions":${permissions}}` }
    const answer = await worker.fetch(`${origin}/api/auth/organization/has-permission`, init)
    return [answer.status, await answer.json()]
  }
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
    expect([name, ...(await ask(`{"${name}":["create"]}`))]).toEqual([name, 400, expect.objectContaining(refusal('invalid_request'))])
  expect((await ask('{"nothing":["create"]}'))[1]).toMatchObject({ success: false })
  expect((await ask('{"team":["create"]}'))[1]).toMatchObject({ success: true })
})

test('an address above 254 characters is neither invited nor written to', async () => {
  const owner = await account('long-addresses')
  const { id: organizationId } = await owner.person.json<Organization>('/api/auth/organization/create', {
    body: { name: 'Long', slug: 'long-addresses' },
  })
  const email = `${'a'.repeat(250)}@b.co`
  const bodies = {
    'organization/invite-member': { role: 'member', organizationId },
    'sign-in/magic-link': {},
    'sign-in/email-otp': { otp: '1' },
  }
  for (const [path, body] of Object.entries(bodies)) {
    const answer = await owner.person.call(`/api/auth/${path}`, { body: { email, ...body } })
    expect([path, answer.status, await answer.json()]).toEqual([path, 400, expect.objectContaining({ code: 'INVALID_EMAIL' })])
  }
})

test('an owner who passes better-auth’s check as the last one is refused by the database, and stays', async () => {
  const [first, second] = await Promise.all(['first-owner', 'second-owner'].map(account))
  if (!first || !second) throw new Error('two users')
  const { id: organizationId } = await first.person.json<Organization>('/api/auth/organization/create', {
    body: { name: 'Two', slug: 'two-owners' },
  })
  const memberId = await invite(first.person, organizationId, second, 'owner')
  // Still an owner for better-auth, as after an outdated check.
  await env.DB.prepare("update member set role = 'owner,member' where id = ?").bind(memberId).run()
  const answer = await first.person.call('/api/auth/organization/leave', { body: { organizationId } })
  expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining(refusal('last_owner'))])
  const { results } = await env.DB.prepare("select userId from member where organizationId = ? and role = 'owner'")
    .bind(organizationId)
    .all()
  expect(results).toEqual([{ userId: first.userId }])
})

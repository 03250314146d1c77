// All other writers: jobs, sign-in, organizations, the cleanup of the feed. They write to the database directly and notify the objects
// late, twice or never.

import { totalUse } from '../../../worker/contract/models/model-use.ts'
import type { AnswerMessage, Ending } from '../../../worker/contract/threads/messages.ts'
import { endTurn } from '../../../worker/db/turn-endings.ts'
import { readOpenTurn } from '../../../worker/db/turns.ts'
import type { Rng } from '../../support/rng.ts'
import { modelRequest } from '../../support/rows.ts'
import type { SimUser, World } from './world.ts'

type Writer = (world: World, user: SimUser) => readonly string[]

const threadsOf = ({ d1 }: World, { userId }: SimUser) => d1.all<{ id: string }>('select id from thread where userId = ?', userId)
const anyThread = (world: World, user: SimUser) => world.rng.pick([...threadsOf(world, user), { id: 'no-such-thread' }]).id
const message = (id: string) => JSON.stringify({ id, role: 'user', parts: [{ type: 'text', text: id }] })

/** Each returns the affected users. */
const writers: { readonly [name: string]: Writer } = {
  insertThread: (world, user) => {
    const id = world.fresh('thread')
    const updatedAt = world.rng.below(50)
    world.d1.all('insert into thread (id, userId, title, createdAt, updatedAt) values (?, ?, ?, 1, ?)', id, user.userId, id, updatedAt)
    return [user.userId]
  },
  touchThread: (world, user) => {
    world.d1.all('update thread set updatedAt = ? where id = ?', world.rng.below(50), anyThread(world, user))
    return [user.userId]
  },
  removeThread: (world, user) => {
    const id = anyThread(world, user)
    const [open] = world.d1.all("select 1 from generation where threadId = ? and status = 'open'", id)
    if (!open) world.d1.all('delete from thread where id = ?', id)
    return [user.userId]
  },
  insertMessage: (world, user) => {
    const id = world.fresh('written')
    const sql = 'insert into message (id, threadId, userId, message, createdAt) select ?1, id, userId, ?2, ?3 from thread where id = ?4'
    world.d1.all(sql, id, message(id), world.rng.below(50), anyThread(world, user))
    return [user.userId]
  },
  editMessage: (world, user) => {
    const written = world.d1.all<{ id: string }>("select id from message where userId = ? and id like 'written%'", user.userId)
    if (written.length > 0)
      world.d1.all('update message set message = ? where id = ?', message(world.fresh('edit')), world.rng.pick(written).id)
    return [user.userId]
  },
  /** A guest is linked to an existing account: the thread and its messages change their owner. */
  linkGuest: (world, user) => {
    const other = world.rng.pick(world.users)
    const id = anyThread(world, user)
    const [open] = world.d1.all("select 1 from generation where threadId = ? and status = 'open'", id)
    if (open) return []
    world.d1.database.exec('begin')
    for (const table of ['thread', 'message', 'queuedMessage']) {
      const column = table === 'thread' ? 'id' : 'threadId'
      world.d1.all(`update ${table} set userId = ? where ${column} = ?`, other.userId, id)
    }
    world.d1.database.exec('commit')
    return [user.userId, other.userId]
  },
  renameUser: (world, user) => {
    world.d1.all('update user set name = ? where id = ?', world.fresh('name'), user.userId)
    return world.users.map(({ userId }) => userId)
  },
  changeModel: (world) => {
    world.d1.all("update model set description = ? where id = 'kimi-k2'", world.fresh('description'))
    return world.users.map(({ userId }) => userId)
  },
  join: (world, user) => {
    world.d1.all("insert or ignore into organization (id, name, createdAt) values ('acme-organization', 'Acme', 1)")
    const sql = "insert or ignore into member (id, organizationId, userId, role, createdAt) values (?, 'acme-organization', ?, 'member', 1)"
    world.d1.all(sql, world.fresh('member'), user.userId)
    return world.users.map(({ userId }) => userId)
  },
  leave: (world, user) => {
    world.d1.all("delete from member where organizationId = 'acme-organization' and userId = ?", user.userId)
    return world.users.map(({ userId }) => userId)
  },
  renameOrganization: (world) => {
    world.d1.all("update organization set name = ? where id = 'acme-organization'", world.fresh('acme-organization'))
    return world.users.map(({ userId }) => userId)
  },
  subscribe: (world, user) => {
    const sql = `insert into userCustomer (id, userId, subscription) values (?1, ?1, ?2)
      on conflict (id) do update set subscription = excluded.subscription`
    world.d1.all(sql, user.userId, JSON.stringify({ status: world.fresh('status') }))
    return [user.userId]
  },
  pruneFeed: ({ d1, rng }) => {
    for (const feed of ['contentChange', 'directoryChange']) {
      const [{ last } = { last: 0 }] = d1.all<{ last: number }>(`select coalesce(max(seq), 0) last from ${feed}`)
      d1.all(`delete from ${feed} where seq <= ? and seq < ?`, last - rng.below(12), last)
    }
    return []
  },
}

/** Further writers of worlds with `hasOrganizations`. */
const organizationWriters: { readonly [name: string]: Writer } = {
  rejoin: (world, user) => {
    const [found] = world.d1.all<{ id: string }>(
      "select id from member where organizationId = 'acme-organization' and userId = ?",
      user.userId,
    )
    if (!found) return []
    world.d1.all('delete from member where id = ?', found.id)
    world.d1.all("update organization set name = ? where id = 'acme-organization'", world.fresh('acme-organization'))
    const sql = "insert into member (id, organizationId, userId, role, createdAt) values (?, 'acme-organization', ?, 'member', 1)"
    world.d1.all(sql, world.fresh('member'), user.userId)
    return world.users.map(({ userId }) => userId)
  },
  addTeam: (world, user) => {
    if (world.d1.all("select 1 from organization where id = 'acme-organization'").length === 0) return []
    const teamId = world.fresh('team')
    world.d1.all("insert into team (id, name, organizationId, createdAt) values (?, 'Makers', 'acme-organization', 1)", teamId)
    world.d1.all('insert into teamMember (id, teamId, userId) values (?, ?, ?)', world.fresh('teamMember'), teamId, user.userId)
    return world.users.map(({ userId }) => userId)
  },
  removeTeam: (world) => {
    world.d1.all("delete from team where id = (select min(id) from team where organizationId = 'acme-organization')")
    return world.users.map(({ userId }) => userId)
  },
  deleteOrganization: (world) => {
    world.d1.all("delete from organization where id = 'acme-organization'")
    return world.users.map(({ userId }) => userId)
  },
}

const names = Object.keys(writers).flatMap((name) => (name === 'pruneFeed' ? [name] : [name, name, name]))

const pickOrganizationWriter = (rng: Rng): Writer =>
  rng.pick([...Object.values(organizationWriters), ...['join', 'join', 'leave', 'pruneFeed'].flatMap((name) => writers[name] ?? [])])

export function writeConcurrently(world: World): void {
  const { rng } = world
  const write = world.options.hasOrganizations && rng.chance(0.7) ? pickOrganizationWriter(rng) : writers[rng.pick(names)]
  const concerned = write?.(world, rng.pick(world.users)) ?? []
  for (const userId of concerned) for (let times = rng.below(3); times > 0; times--) world.notify(userId)
}

/** One answer ends, written as its object would write it. */
export async function endGeneration(world: World): Promise<void> {
  const { rng, d1 } = world
  const [id, generation] = rng.pick([...world.generations])
  world.generations.delete(id)
  const env = { DB: d1.binding() }
  const turn = await readOpenTurn(env, generation.userId, id)
  if (!turn) return
  const ending: Ending = generation.isStopped ? 'stopped' : rng.pick<Ending>(['completed', 'completed', 'failed', 'interrupted'])
  const requests = [modelRequest(), modelRequest({ microDollars: null })]
  const use = totalUse(requests)
  const { id: modelId, name: modelName, icon: modelIcon, credits } = turn.model
  const metadata = { modelId, modelName, modelIcon, ending, credits, ...(use && { use }) }
  const answer: AnswerMessage = { id, role: 'assistant', parts: [{ type: 'text', text: `answer ${id}` }], metadata }
  const { userId, threadId, parentId } = turn
  const charged = ending !== 'failed'
  await endTurn(env, {
    generationId: id,
    userId,
    threadId,
    parentId,
    answer,
    charged,
    credits,
    keepsSearch: false,
    keepsResearch: false,
    title: id,
    requests,
    endedAtMs: world.nowMs,
  })
  for (let times = rng.below(3); times > 0; times--) world.notify(userId)
}

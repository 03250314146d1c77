// Presence: rows about the browsers in which a thread is open, which the user's browsers receive.
import { beforeEach, expect, test } from 'vitest'
import { newId } from '../../worker/db/new-id.ts'
import { insert, threadRow } from '../support/rows.ts'
import { content } from './bindings.ts'
import { evict, inside } from './sync-object.ts'
import { connected, newUser, putQuery, type SyncUser, type Wire } from './sync-wire.ts'

let ada: SyncUser
let threadId: string
beforeEach(async () => {
  ada = await newUser()
  threadId = newId()
  await insert(content, 'thread', threadRow(ada.userId, { id: threadId }))
})

const opened = () => ({ hash: 'one', name: 'threads.one', args: [{ threadId }] })
const presence = () => ({ hash: 'presence', name: 'presence.ofThread', args: [{ threadId }] })
const browser = (
  userAgent: string,
  ...queries: readonly { readonly hash: string; readonly name: string; readonly args: readonly object[] }[]
) => connected(ada, { queries: [presence(), ...queries], headers: { 'user-agent': userAgent } })
const open = (wire: Wire) => wire.send(['changeDesiredQueries', { desiredQueriesPatch: [putQuery(opened())] }])
const close = (wire: Wire) => wire.send(['changeDesiredQueries', { desiredQueriesPatch: [{ op: 'del', hash: 'one' }] }])
const seenBy = (wire: Wire) =>
  wire
    .rowsOf('presence')
    .map(({ userAgent }) => userAgent)
    .sort()
const sees = (wire: Wire, ...userAgents: readonly string[]) =>
  wire.until(
    () => JSON.stringify(seenBy(wire)) === JSON.stringify([...userAgents].sort()),
    `open on ${userAgents.join(' and ') || 'no device'}`,
  )
const written = () => inside(ada, (_object, state) => state.storage.sql.exec<{ n: number }>('select total_changes() n').one().n)

test('browsers receive a row for each browser with the open thread, until it closes the thread', async () => {
  const desk = await browser('Desk', opened())
  const phone = await browser('Phone')
  await sees(desk, 'Desk')
  open(phone)
  for (const wire of [desk, phone]) await sees(wire, 'Desk', 'Phone')
  close(phone)
  for (const wire of [desk, phone]) await sees(wire, 'Desk')
})

test('the end of a connection removes its rows; a single browser has no rows', async () => {
  const desk = await browser('Desk', opened())
  const phone = await browser('Phone', opened())
  await sees(desk, 'Desk', 'Phone')
  await phone.close()
  await sees(desk)
})

test('two tabs of a browser have one row, until both have closed the thread', async () => {
  const desk = await browser('Desk')
  const phone = await browser('Phone', opened())
  const tab = await connected(ada, {
    queries: [opened()],
    params: { clientGroupID: phone.groupID, clientID: 'a-second-tab' },
    headers: { 'user-agent': 'Phone' },
  })
  await sees(desk, 'Phone')
  close(phone)
  await phone.settled()
  await desk.settled()
  expect(seenBy(desk)).toEqual(['Phone'])
  await tab.close()
  await sees(desk)
})

test('a heartbeat and a single browser cause no write', async () => {
  const desk = await browser('Desk', opened())
  await desk.settled()
  expect(desk.rowsOf('presence')).toEqual([])
  await browser('Phone', opened())
  await sees(desk, 'Desk', 'Phone')
  const before = await written()
  for (let i = 0; i < 5; i++) await desk.settled()
  expect(await written()).toBe(before)
})

test('rows of an evicted object are corrected by the next connection', async () => {
  const desk = await browser('Desk', opened())
  const phone = await browser('Phone', opened())
  await sees(desk, 'Desk', 'Phone')
  await evict(ada)
  await phone.close()
  await sees(desk)
})

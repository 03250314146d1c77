// Saved prompts: limits, deletion with undo, and sharing with an organization. Rules: worker/user-sync/SPEC.md, A3, A4, A9 and A11.
import { beforeEach, describe, expect, test } from 'vitest'
import {
  maxPromptChars,
  maxPrompts,
  maxSharedPrompts,
  maxSharedPromptsPerMember,
  storedContentBytes,
} from '../../worker/contract/limits.ts'
import { purgePrompts, purgeSharedPrompts } from '../../worker/db/cleanup.ts'
import { newId } from '../../worker/db/new-id.ts'
import { insert, memberRow, organizationRow } from '../support/rows.ts'
import { promptRow } from '../support/rows-of-writing.ts'
import { content } from './bindings.ts'
import { inside, stubOf } from './sync-object.ts'
import { connected, env, me, newUser, type SyncUser, type Wire } from './sync-wire.ts'

const { DB: directory } = env
const mine = { hash: 'mine', name: 'prompts.mine', args: [] }
const shared = { hash: 'shared', name: 'prompts.shared', args: [] }

const connect = (who: SyncUser): Promise<Wire> => connected(who, { queries: [me, mine, shared] })
const contentUse = (userId: string) =>
  content.prepare('select bytes, rows from contentUse where userId = ?').bind(userId).first<{ bytes: number; rows: number }>()

describe('own prompts', () => {
  let ada: SyncUser
  let wire: Wire
  beforeEach(async () => {
    ada = await newUser()
    wire = await connect(ada)
  })

  test('are saved, changed, deleted and restored on every device, and count as content', async () => {
    const other = await connect(ada)
    const id = newId()
    expect(await wire.refusalOf('prompts.save', { id, name: '  Review ', text: 'Review {{code}}' })).toBeUndefined()
    await other.until(() => other.row('prompt', id)?.name === 'Review', 'the new prompt')
    expect(await contentUse(ada.userId)).toMatchObject({ bytes: 'Review'.length + 'Review {{code}}'.length, rows: 1 })
    await wire.refusalOf('prompts.save', { id, name: 'Review', text: 'Look at {{code}}' })
    await other.until(() => other.row('prompt', id)?.text === 'Look at {{code}}', 'the change')
    expect(await wire.refusalOf('prompts.delete', { id })).toBeUndefined()
    await other.until(() => other.rowsOf('prompt').length === 0, 'the deletion')
    expect(await wire.refusalOf('prompts.save', { id, name: 'Review', text: 'Again' })).toBe('not_found')
    expect(await other.refusalOf('prompts.restore', { id })).toBeUndefined()
    await wire.until(() => wire.row('prompt', id) !== undefined, 'the restored prompt')
    await content.prepare('update prompt set deletedAt = 1 where id = ?').bind(id).run()
    await purgePrompts(content, Date.now())
    expect(await contentUse(ada.userId)).toMatchObject({ bytes: 0, rows: 0 })
    await other.close()
  })

  test('refuse an empty name, an empty or a long text, and more than the limit', async () => {
    const id = newId()
    expect(await wire.refusalOf('prompts.save', { id, name: '\u200b', text: 'x' })).toBe('prompt_name')
    expect(await wire.refusalOf('prompts.save', { id, name: 'Tea', text: ' \n' })).toBe('prompt_text')
    expect(await wire.refusalOf('prompts.save', { id, name: 'Tea', text: 'x'.repeat(maxPromptChars + 1) })).toBe('prompt_text')
    for (let i = 0; i < maxPrompts; i++) await insert(content, 'prompt', promptRow(ada.userId))
    await expect(insert(content, 'prompt', promptRow(ada.userId))).rejects.toThrow('prompt_limit_reached')
    expect(await wire.refusalOf('prompts.save', { id, name: 'Tea', text: 'x' })).toBe('prompt_limit_reached')
  })
})

describe('shared prompts', () => {
  let organizationId: string
  let author: SyncUser
  let fellow: SyncUser
  let admin: SyncUser
  let wire: Wire
  let promptId: string
  beforeEach(async () => {
    organizationId = newId()
    await insert(directory, 'organization', organizationRow({ id: organizationId }))
    ;[author, fellow, admin] = [await newUser(), await newUser(), await newUser()]
    for (const [who, role] of [[author, 'member'] as const, [fellow, 'member'] as const, [admin, 'admin'] as const])
      await insert(directory, 'member', memberRow(organizationId, who.userId, { role }))
    promptId = newId()
    wire = await connect(author)
    await wire.refusalOf('prompts.save', { id: promptId, name: 'Tone', text: 'Be brief.' })
  })

  const share = (in_: Wire, to: string | null = organizationId) => in_.refusalOf('prompts.share', { id: promptId, organizationId: to })
  const textFor = (of: Wire) => of.row('sharedPrompt', promptId)?.text
  const storedShare = () =>
    directory.prepare('select organizationId, text, deletedAt from sharedPrompt where id = ?').bind(promptId).first()

  test('reach every member live, follow the author’s changes, and end with the sharing', async () => {
    const reader = await connect(fellow)
    expect(reader.rowsOf('sharedPrompt')).toEqual([])
    expect(await share(wire)).toBeUndefined()
    await reader.until(() => textFor(reader) === 'Be brief.', 'the shared prompt')
    await wire.refusalOf('prompts.save', { id: promptId, name: 'Tone', text: 'Be very brief.' })
    await reader.until(() => textFor(reader) === 'Be very brief.', 'the change')
    // Another device of the author, which was not connected.
    const phone = await connect(author)
    expect(textFor(phone)).toBe('Be very brief.')
    expect(await phone.refusalOf('prompts.delete', { id: promptId })).toBeUndefined()
    await reader.until(() => reader.rowsOf('sharedPrompt').length === 0, 'the deletion')
    expect(await storedShare()).toMatchObject({ text: '' })
    expect(await phone.refusalOf('prompts.restore', { id: promptId })).toBeUndefined()
    await reader.until(() => textFor(reader) === 'Be very brief.', 'the restored prompt')
    expect(await share(wire, null)).toBeUndefined()
    await reader.until(() => reader.rowsOf('sharedPrompt').length === 0, 'the end of the sharing')
    // Restoring a prompt whose sharing ended before does not share it.
    await wire.refusalOf('prompts.delete', { id: promptId })
    await wire.refusalOf('prompts.restore', { id: promptId })
    expect(await storedShare()).toMatchObject({ text: '' })
    await purgeSharedPrompts(directory, Date.now() + 2 * 24 * 60 * 60 * 1000)
    expect(await storedShare()).toBeNull()
    for (const one of [reader, phone]) await one.close()
  })

  test('only the author changes one; administrators may end the sharing; other members may not', async () => {
    await share(wire)
    const reader = await connect(fellow)
    await reader.until(() => textFor(reader) !== undefined, 'the shared prompt')
    expect(await share(reader, null)).toBe('not_authorized')
    expect(await share(reader)).toBe('not_found')
    expect(await reader.refusalOf('prompts.delete', { id: promptId })).toBe('not_found')
    // A member who creates a prompt with the same id cannot change the shared one.
    await insert(content, 'prompt', promptRow(fellow.userId, { id: `${promptId}-x` }))
    expect(await reader.refusalOf('prompts.save', { id: promptId, name: 'Mine', text: 'Mine now' })).toBe('invalid_request')
    expect(await storedShare()).toMatchObject({ text: 'Be brief.' })
    const manager = await connect(admin)
    expect(await share(manager, null)).toBeUndefined()
    await reader.until(() => reader.rowsOf('sharedPrompt').length === 0, 'the end of the sharing')
    // The author keeps the prompt.
    expect(wire.row('prompt', promptId)?.text).toBe('Be brief.')
    for (const one of [reader, manager]) await one.close()
  })

  test('a user who is not a member neither reads nor shares', async () => {
    await share(wire)
    const otherUser = await newUser()
    const outside = await connect(otherUser)
    const own = newId()
    await outside.refusalOf('prompts.save', { id: own, name: 'Own', text: 'Own' })
    expect(await outside.refusalOf('prompts.share', { id: own, organizationId })).toBe('not_found')
    expect(await outside.refusalOf('prompts.share', { id: promptId, organizationId: null })).toBe('not_found')
    expect(outside.rowsOf('sharedPrompt')).toEqual([])
    await outside.close()
  })

  const leave = (who: SyncUser) =>
    directory.prepare('delete from member where organizationId = ? and userId = ?').bind(organizationId, who.userId).run()

  test('[A11] a removed member loses access, and the member’s shared copies are deleted', async () => {
    await share(wire)
    const reader = await connect(fellow)
    await reader.until(() => textFor(reader) !== undefined, 'the shared prompt')
    await leave(fellow)
    await stubOf(fellow).notify()
    await reader.until(() => reader.rowsOf('sharedPrompt').length === 0, 'no access')
    expect(await inside(fellow, (_object, { storage }) => Number(storage.sql.exec('select count(*) n from "sharedPrompt"').one().n))).toBe(
      0,
    )
    const manager = await connect(admin)
    expect(textFor(manager)).toBe('Be brief.')
    await leave(author)
    await stubOf(admin).notify()
    await manager.until(() => manager.rowsOf('sharedPrompt').length === 0, 'no prompt of a former member')
    // The object of the former member has not read the feed yet.
    expect(await share(wire)).toBe('not_found')
    expect(wire.row('prompt', promptId)?.text).toBe('Be brief.')
    for (const one of [reader, manager]) await one.close()
  })

  test('[A11] a change that does not fit into the user’s storage leaves the shared copy as it was', async () => {
    await share(wire)
    await content.prepare('update contentUse set bytes = ? where userId = ?').bind(storedContentBytes.free, author.userId).run()
    await stubOf(author).notify()
    await wire.until(() => wire.rowsOf('usage')[0]?.contentBytes === storedContentBytes.free, 'the full storage')
    expect(await wire.refusalOf('prompts.save', { id: promptId, name: 'Tone', text: 'Be brief!' })).toBe('content_full')
    expect(await storedShare()).toMatchObject({ text: 'Be brief.' })
    // Less than a step of the usage row remains.
    await content
      .prepare('update contentUse set bytes = ? where userId = ?')
      .bind(storedContentBytes.free - 4, author.userId)
      .run()
    await stubOf(author).notify()
    await wire.until(() => wire.rowsOf('usage')[0]?.contentBytes !== storedContentBytes.free, 'some storage')
    expect(await wire.refusalOf('prompts.save', { id: promptId, name: 'Tone', text: 'Be very brief.' })).toBe('content_full')
    expect(await storedShare()).toMatchObject({ text: 'Be brief.' })
  })

  test('[A11] a late write does not replace a newer one, and a member and an organization have a limit', async () => {
    await share(wire)
    await directory
      .prepare('update sharedPrompt set updatedAt = ? where id = ?')
      .bind(Date.now() + 60_000, promptId)
      .run()
    expect(await share(wire, null)).toBeUndefined()
    expect(await storedShare()).toMatchObject({ text: 'Be brief.', deletedAt: null })
    const newRow = (memberId: string, userId: string, ofOrganization = organizationId) => ({
      ...{ id: newId(), organizationId: ofOrganization, memberId, userId, name: 'One', text: 'One', updatedAt: 1 },
    })
    const join = async (userId: string, ofOrganization = organizationId) => {
      const id = newId()
      await insert(directory, 'member', memberRow(ofOrganization, userId, { id }))
      return id
    }
    const memberId = await directory.prepare('select id from member where userId = ?').bind(author.userId).first<string>('id')
    const own = () => newRow(memberId ?? '', author.userId)
    for (let i = 1; i < maxSharedPromptsPerMember; i++) await insert(directory, 'sharedPrompt', own())
    await expect(insert(directory, 'sharedPrompt', own())).rejects.toThrow('member_prompt_limit_reached')
    const more = newId()
    await wire.refusalOf('prompts.save', { id: more, name: 'One more', text: 'One more' })
    expect(await wire.refusalOf('prompts.share', { id: more, organizationId })).toBe('member_prompt_limit_reached')
    // A prompt that the member has shared with another organization.
    const elsewhere = newId()
    await insert(directory, 'organization', organizationRow({ id: elsewhere }))
    const moved = newRow(await join(author.userId, elsewhere), author.userId, elsewhere)
    await insert(directory, 'sharedPrompt', moved)
    const move = directory.prepare('update sharedPrompt set organizationId = ?, memberId = ? where id = ?')
    await expect(move.bind(organizationId, memberId, moved.id).run()).rejects.toThrow('member_prompt_limit_reached')
    // Other members may share until the organization is full.
    for (let count = maxSharedPromptsPerMember; count < maxSharedPrompts; count += maxSharedPromptsPerMember) {
      const { userId } = await newUser()
      const id = await join(userId)
      for (let i = 0; i < maxSharedPromptsPerMember; i++) await insert(directory, 'sharedPrompt', newRow(id, userId))
    }
    const { userId } = await newUser()
    await expect(insert(directory, 'sharedPrompt', newRow(await join(userId), userId))).rejects.toThrow('shared_prompt_limit_reached')
    expect(await wire.refusalOf('prompts.share', { id: more, organizationId })).toBe('shared_prompt_limit_reached')
  })
})

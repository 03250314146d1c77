/** The development outbox: mails of a server without a mail provider. */
import { desc } from 'drizzle-orm'
import { newId } from './new-id.ts'
import { type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { outbox } from './tables/users.ts'

export type OutboxMail = {
  readonly to: string
  readonly subject: string
  readonly body: string
  readonly html: string | null
  readonly createdAt: number
}

const shownMails = 50

export async function addToOutbox(env: DatabaseBindings, mail: Omit<OutboxMail, 'createdAt'>, nowMs: number): Promise<void> {
  await orm(directoryDb(env))
    .insert(outbox)
    .values({ id: newId(), recipient: mail.to, subject: mail.subject, body: mail.body, html: mail.html, createdAt: nowMs })
}

/** Newest first. */
export function readOutbox(env: DatabaseBindings): Promise<OutboxMail[]> {
  return orm(directoryDb(env))
    .select({ to: outbox.recipient, subject: outbox.subject, body: outbox.body, html: outbox.html, createdAt: outbox.createdAt })
    .from(outbox)
    .orderBy(desc(outbox.createdAt))
    .limit(shownMails)
}

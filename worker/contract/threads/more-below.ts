type Spoken = {
  readonly id: string
  readonly parentId?: string | null | undefined
  readonly deletedAt?: number | null | undefined
  readonly message: { readonly role: 'user' | 'assistant' }
}

/**
 * Ids of messages whose deletion hides more than the message and its own answer. Such a message has a question below it, or is a question
 * whose answer has one.
 */
export function withMoreBelow(messages: readonly Spoken[]): ReadonlySet<string> {
  const inSight = messages.filter(({ deletedAt }) => deletedAt == null)
  const asked = new Set(inSight.flatMap(({ parentId, message }) => (message.role === 'user' && parentId != null ? [parentId] : [])))
  const answered = inSight.flatMap(({ id, parentId, message }) =>
    message.role === 'assistant' && parentId != null && asked.has(id) ? [parentId] : [],
  )
  return new Set([...asked, ...answered])
}

/** Saved prompts: the user's, and those that members share with the user's organizations. */
import { useQuery, useZero } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import { mutators } from '../../worker/contract/mutators.ts'
import type { SavePromptArgs } from '../../worker/contract/prompt-args.ts'
import { queries } from '../../worker/contract/queries.ts'
import { type Action, act } from './actions.ts'
import { options } from './query-options.ts'
import type { PromptRow, SharedPromptRow } from './rows.ts'

/** A prompt of another member. `role`: the user's in the organization. */
export type PromptOfOther = { readonly prompt: SharedPromptRow; readonly organization: string; readonly role: string | null | undefined }

export type Prompts = {
  /** By name. */
  readonly own: readonly PromptRow[]
  readonly shared: readonly PromptOfOther[]
  /** The organization with which an own prompt is shared, by the id of the prompt. */
  readonly sharedWith: ReadonlyMap<string, string>
  /** The user's organizations. */
  readonly organizations: readonly { readonly id: string; readonly name: string }[]
  readonly isComplete: boolean
}

export function usePrompts(): Prompts {
  const [own, { type }] = useQuery(queries.prompts.mine(), options)
  const [memberships, state] = useQuery(queries.prompts.shared(), options)
  const isComplete = type === 'complete' && state.type === 'complete'
  return useMemo(() => {
    const all = memberships.flatMap(({ organization, userId, role }) =>
      (organization?.prompts ?? []).map((prompt) => ({
        prompt,
        isOwn: prompt.userId === userId,
        organization: organization?.name ?? '',
        role,
      })),
    )
    return {
      own,
      shared: all.filter(({ isOwn }) => !isOwn),
      sharedWith: new Map(all.flatMap(({ prompt, isOwn }) => (isOwn ? [[prompt.id, prompt.organizationId]] : []))),
      organizations: memberships.flatMap(({ organization }) => (organization ? [{ id: organization.id, name: organization.name }] : [])),
      isComplete,
    }
  }, [own, memberships, isComplete])
}

type PromptActions = {
  readonly savePrompt: (prompt: SavePromptArgs) => Action
  readonly removePrompt: (id: string) => Action
  readonly restorePrompt: (id: string) => Action
  /** Null: no longer shared. */
  readonly sharePrompt: (id: string, organizationId: string | null) => Action
}

/** Only the server runs these mutators, so their rows appear after its answer. */
export function usePromptActions(): PromptActions {
  const zero = useZero()
  return useMemo(() => {
    const { save, delete: remove, restore, share } = mutators.prompts
    return {
      savePrompt: (prompt) => act(zero, () => zero.mutate(save(prompt))),
      removePrompt: (id) => act(zero, () => zero.mutate(remove({ id }))),
      restorePrompt: (id) => act(zero, () => zero.mutate(restore({ id }))),
      sharePrompt: (id, organizationId) => act(zero, () => zero.mutate(share({ id, organizationId }))),
    }
  }, [zero])
}

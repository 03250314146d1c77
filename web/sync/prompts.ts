/** Saved prompts: the user's, and those that members share with the user's organizations. */
import { useQuery } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import { queries } from '../../worker/contract/queries.ts'
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

import { createFileRoute } from '@tanstack/react-router'
import { idSchema } from '../../../../../worker/contract/ids.ts'

/** A new thread, rendered by the layout. `project`: the project in which it starts. */
export const Route = createFileRoute('/_live/_app/_thread/')({
  validateSearch: ({ project }: Record<string, unknown>): { readonly project?: string } => {
    const id = idSchema.safeParse(project)
    return id.success ? { project: id.data } : {}
  },
})

import { createFileRoute } from '@tanstack/react-router'
import { idSchema } from '../../../../../worker/contract/ids.ts'

/** A new thread, rendered by the layout. `project`: the thread starts in this project. `temporary`: the thread is temporary. */
export const Route = createFileRoute('/_live/_app/_thread/')({
  validateSearch: ({ project, temporary }: Record<string, unknown>): { readonly project?: string; readonly temporary?: true } => {
    if (temporary === true) return { temporary }
    const id = idSchema.safeParse(project)
    return id.success ? { project: id.data } : {}
  },
})

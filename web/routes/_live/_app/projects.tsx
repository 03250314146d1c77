import { createFileRoute } from '@tanstack/react-router'
import { ProjectsPage } from '../../../features/shell/library/projects-page.tsx'

export const Route = createFileRoute('/_live/_app/projects')({ component: ProjectsPage })

import { createFileRoute } from '@tanstack/react-router'
import { ArchivePage } from '../../../features/shell/library/archive-page.tsx'

export const Route = createFileRoute('/_live/_app/archive')({ component: ArchivePage })

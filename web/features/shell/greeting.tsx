import { useMe } from '../../sync/hooks.ts'

/** Above the composer of a new thread. Takes the upper share of the free height, so that the composer stands a little above the middle. */
export function Greeting() {
  const me = useMe()
  const name = me?.setting?.nickname || (me?.plan === 'guest' ? '' : me?.user.name.split(' ')[0])
  const salute = saluteFor(new Date().getHours())
  return (
    <div className="flex grow flex-col justify-end px-6 pb-7 text-center max-md:justify-center">
      <h1 className="animate-appear text-[1.625rem] leading-9 font-medium tracking-tight text-balance">
        {name ? `${salute}, ${name}` : salute}
      </h1>
    </div>
  )
}

export function saluteFor(hour: number): string {
  if (hour < 5) return 'Up late'
  if (hour < 12) return 'Good morning'
  if (hour < 18) return 'Good afternoon'
  return 'Good evening'
}

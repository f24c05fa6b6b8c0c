export default function start(): void {
  setTimeout(() => {}, 1_000);
}

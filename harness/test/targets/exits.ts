export default function start(): void {
  process.exit(7);
}
